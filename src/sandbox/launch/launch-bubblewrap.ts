/**
 * Starts a server in its bubblewrap sandbox: find the program, mount only the folders it needs, park it before its
 * first line, set the limits, release it. A step that fails refuses the launch; it never falls back to less isolation.
 */
import type { LaunchSpec, SandboxedProcess } from '../../kernel/sandbox-port.ts'
import { sandboxChecks } from '../sandbox-checks.ts'
import { dataMounts } from './data-mounts.ts'
import { declaredMounts } from '../plan/declared-mounts.ts'
import { insideEnvironment } from '../plan/inside-environment.ts'
import { findProgram, type Program } from '../plan/find-program.ts'
import type { Host } from '../host.ts'
import { findTools } from './host-tools.ts'
import { INSIDE_AUTHORITIES, INSIDE_NODE, START_FILE, SYSTEM_FILES } from '../plan/inside-files.ts'
import { processLimit, resourceLimits } from '../plan/limits.ts'
import { FIRST_FEED, INFO_DESCRIPTOR, SHEET_DESCRIPTOR, type StartOptions } from './parked-start.ts'
import type { Mount } from '../plan/mount.ts'
import { hostsFile, placesFor } from '../plan/places.ts'
import { bubblewrapArguments } from '../plan/profile.ts'
import { makeReady, released, wordFor } from './make-ready.ts'
import { noSandbox, startFailed } from '../sandbox-errors.ts'
import { seccompFilter } from '../seccomp/seccomp-filter.ts'
import { socketFolder, socketMounts } from './socket-mounts.ts'
import { START_PROGRAM, startArguments, writeSheets } from './start-program.ts'
import { systemMounts } from '../plan/system-mounts.ts'
import { planCalling } from './unprivileged-user.ts'

const ARGUMENTS_DESCRIPTOR = FIRST_FEED
const SECCOMP_DESCRIPTOR = FIRST_FEED + 1
const FIRST_FILE = FIRST_FEED + 2

export async function launchBubblewrap(
  host: Host,
  spec: LaunchSpec,
  signal: AbortSignal,
): Promise<SandboxedProcess> {
  const word = wordFor(spec, signal)
  const program = findProgram(spec, INSIDE_NODE, host)
  const options = startOptions(host, spec, program)
  const { memoryLimitBytes } = spec.settings
  const sheets = writeSheets(
    {
      command: [program.path, ...spec.args],
      environment: insideEnvironment(spec, host.extraAuthorities !== undefined),
    },
    (layer) => {
      return new Map([...resourceLimits(memoryLimitBytes, layer), ...processLimit()])
    },
  )
  const starting = makeReady(host, options, memoryLimitBytes, signal)
  const ready = await starting.catch(async (cause: unknown) => {
    throw await whyNot(spec, cause, signal)
  })
  await released(ready, sheets(ready.process.memoryLayer), word)
  const sockets = socketFolder(host, spec)
  return sockets === undefined ? ready.process : Object.assign(ready.process, { sockets })
}

function mountsFor(host: Host, spec: LaunchSpec, program: Program): readonly Mount[] {
  const node = { source: host.nodePath, target: INSIDE_NODE, writable: false }
  const declared = declaredMounts(spec.settings, host)
  const made = [...dataMounts(host, spec), ...socketMounts(host, spec)]
  return [node, ...authorityMounts(host), ...program.mounts, ...declared, ...made]
}

function authorityMounts({ extraAuthorities }: Host): readonly Mount[] {
  if (extraAuthorities === undefined) return []
  return [{ source: extraAuthorities, target: INSIDE_AUTHORITIES, writable: false }]
}

function startOptions(host: Host, spec: LaunchSpec, program: Program): StartOptions {
  const tools = findTools()
  const calling = planCalling(tools, host.user, mountsFor(host, spec, program))
  const places = placesFor(spec)
  const made = { '/etc/hosts': hostsFile(places), [START_FILE]: START_PROGRAM }
  const files = { ...SYSTEM_FILES, ...made }
  const words = bubblewrapArguments({
    settings: spec.settings,
    system: systemMounts(),
    mounts: calling.mounts,
    beside: program.beside,
    files: new Map(Object.keys(files).map((name, index) => [name, FIRST_FILE + index])),
    seccompDescriptor: SECCOMP_DESCRIPTOR,
    infoDescriptor: INFO_DESCRIPTOR,
  })
  return {
    words: [
      calling.words,
      ['--args', String(ARGUMENTS_DESCRIPTOR), '--', tools.perl, START_FILE],
      startArguments(SHEET_DESCRIPTOR, places),
    ].flat(),
    places,
    identity: calling.identity,
    feeds: [
      words.map((word) => `${word}\0`).join(''),
      seccompFilter(process.arch === 'arm64' ? 'arm64' : 'x64', spec.socketsAt !== undefined),
      ...Object.values(files),
    ],
    warden: host.warden,
  }
}

/** Error messages of bubblewrap and Perl are terse, so the sandbox checks look for the cause on this machine. */
async function whyNot(spec: LaunchSpec, cause: unknown, signal: AbortSignal): Promise<unknown> {
  if (signal.aborted) return signal.reason
  const checks = await sandboxChecks(signal)
  const broken = checks.find(({ verdict }) => verdict === 'fail')
  return broken ? noSandbox(broken, cause) : startFailed(spec.server, cause)
}
