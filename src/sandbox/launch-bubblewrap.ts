/**
 * Puts a server into its sandbox, step by step: find the program, mount only what it needs, park, limit, let go.
 * Refuses when any step cannot be taken; there is no way through with less.
 */
import type { LaunchSpec, SandboxedProcess } from '../kernel/sandbox-port.ts'
import { hold } from './cgroup.ts'
import { sandboxChecks } from './checks.ts'
import { declaredMounts } from './declared-paths.ts'
import { insideEnvironment, PROXY_PORT } from './environment.ts'
import { findProgram } from './find-program.ts'
import type { Host } from './host.ts'
import { findTools } from './host-tools.ts'
import { INSIDE_AUTHORITIES, INSIDE_NODE, START_FILE, SYSTEM_FILES } from './inside-files.ts'
import { processLimit, resourceLimits } from './limits.ts'
import {
  FIRST_FEED,
  INFO_DESCRIPTOR,
  type ParkedStart,
  SHEET_DESCRIPTOR,
  type StartOptions,
  startParked,
} from './parked-start.ts'
import type { Mount } from './mount.ts'
import { childrenOf, namespaceTree, untilTied } from './process-tree.ts'
import { bubblewrapArguments } from './profile.ts'
import { noSandbox, startFailed } from './sandbox-errors.ts'
import { released, sandboxedProcess, wordFor } from './sandboxed-process.ts'
import { seccompFilter } from './seccomp-filter.ts'
import { START_PROGRAM, type Sheets, startArguments, writeSheets } from './start-program.ts'
import { systemMounts } from './system-mounts.ts'
import { planCalling } from './unprivileged-user.ts'

const ARGUMENTS_DESCRIPTOR = FIRST_FEED
const SECCOMP_DESCRIPTOR = FIRST_FEED + 1
const FIRST_FILE = FIRST_FEED + 2

export async function launchBubblewrap(
  host: Host,
  spec: LaunchSpec,
  signal: AbortSignal,
): Promise<SandboxedProcess> {
  const program = findProgram(spec, INSIDE_NODE, host)
  const node = { source: host.nodePath, target: INSIDE_NODE, writable: false }
  const authorities = authorityMounts(host)
  const mounts = [node, ...authorities, ...program.mounts, ...declaredMounts(spec.settings, host)]
  const { memoryLimitBytes } = spec.settings
  const sheets = writeSheets(
    {
      command: [program.path, ...spec.args],
      environment: insideEnvironment(spec, authorities.length > 0),
    },
    (layer) => {
      return new Map([...resourceLimits(memoryLimitBytes, layer), ...processLimit()])
    },
  )
  const options = startOptions(host, spec, mounts)
  const parked = await startParked(options, signal).catch(async (cause: unknown) => {
    throw await whyNot(spec, cause, signal)
  })
  return await letGo(host, { spec, signal }, parked, sheets)
}

function authorityMounts({ extraAuthorities }: Host): readonly Mount[] {
  if (extraAuthorities === undefined) return []
  return [{ source: extraAuthorities, target: INSIDE_AUTHORITIES, writable: false }]
}

function startOptions(host: Host, spec: LaunchSpec, mounts: readonly Mount[]): StartOptions {
  const tools = findTools()
  const calling = planCalling(tools, host.user, mounts)
  const files = { ...SYSTEM_FILES, [START_FILE]: START_PROGRAM }
  const words = bubblewrapArguments({
    settings: spec.settings,
    system: systemMounts(),
    mounts: calling.mounts,
    files: new Map(Object.keys(files).map((name, index) => [name, FIRST_FILE + index])),
    seccompDescriptor: SECCOMP_DESCRIPTOR,
    infoDescriptor: INFO_DESCRIPTOR,
  })
  return {
    words: [
      calling.words,
      ['--args', String(ARGUMENTS_DESCRIPTOR), '--', tools.perl, START_FILE],
      startArguments(SHEET_DESCRIPTOR, spec.networked ? PROXY_PORT : 0),
    ].flat(),
    identity: calling.identity,
    feeds: [
      words.map((word) => `${word}\0`).join(''),
      seccompFilter(process.arch === 'arm64' ? 'arm64' : 'x64'),
      ...Object.values(files),
    ],
    warden: host.warden,
  }
}

/** Limits first, then the server's first line. */
async function letGo(
  host: Host,
  { spec, signal }: { readonly spec: LaunchSpec; readonly signal: AbortSignal },
  parked: ParkedStart,
  sheets: Sheets,
): Promise<SandboxedProcess> {
  const { 'child-pid': initPid } = JSON.parse(await parked.info) as { 'child-pid': number }
  await untilTied(initPid)
  const { memoryLimitBytes } = spec.settings
  const { cgroup, memoryLayer } = hold(
    host.cgroups,
    [initPid, ...(await childrenOf(initPid))],
    memoryLimitBytes,
  )
  const tree = namespaceTree(parked.child, initPid)
  const { timings } = host
  const process = sandboxedProcess(parked, { tree, memoryLayer, memoryLimitBytes, cgroup, timings })
  await released(parked, process, sheets(memoryLayer), wordFor(spec, signal))
  return process
}

/** Bubblewrap says little and Perl less, so the machine is asked what it lacks. */
async function whyNot(spec: LaunchSpec, cause: unknown, signal: AbortSignal): Promise<unknown> {
  if (signal.aborted) return signal.reason
  const checks = await sandboxChecks(signal)
  const broken = checks.find(({ verdict }) => verdict === 'fail')
  return broken ? noSandbox(broken, cause) : startFailed(spec.server, cause)
}
