/**
 * Puts a server into its sandbox, step by step: find the program, mount only what it needs, park, limit, let go.
 * Refuses when any step cannot be taken; there is no way through with less.
 */
import { statSync } from 'node:fs'
import type { ExpectedLaunch, LaunchSpec, SandboxedProcess } from '../kernel/sandbox-port.ts'
import { sandboxChecks } from './checks.ts'
import { declaredMounts } from './declared-paths.ts'
import { insideEnvironment } from './environment.ts'
import { findProgram } from './find-program.ts'
import type { Host } from './host.ts'
import { findTools } from './host-tools.ts'
import { INSIDE_AUTHORITIES, INSIDE_NODE, START_FILE, SYSTEM_FILES } from './inside-files.ts'
import { processLimit, resourceLimits } from './limits.ts'
import { FIRST_FEED, INFO_DESCRIPTOR, SHEET_DESCRIPTOR, type StartOptions } from './parked-start.ts'
import type { Mount } from './mount.ts'
import { hostsFile, placesFor } from './places.ts'
import { bubblewrapArguments } from './profile.ts'
import {
  makeReady,
  type ReadyStart,
  released,
  spellPlan,
  type StartPlan,
  wordFor,
} from './ready-start.ts'
import { noSandbox, startFailed } from './sandbox-errors.ts'
import { seccompFilter } from './seccomp-filter.ts'
import { START_PROGRAM, startArguments, writeSheets } from './start-program.ts'
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
  const word = wordFor(spec, signal)
  const { program, plan } = planStart(host, spec)
  const { memoryLimitBytes } = plan
  const sheets = writeSheets(
    {
      command: [program.path, ...spec.args],
      environment: insideEnvironment(spec, host.extraAuthorities !== undefined),
    },
    (layer) => {
      return new Map([...resourceLimits(memoryLimitBytes, layer), ...processLimit()])
    },
  )
  const ready = await readyFor(host, plan, signal).catch(async (cause: unknown) => {
    throw await whyNot(spec, cause, signal)
  })
  await released(ready, sheets(ready.process.memoryLayer), word)
  return ready.process
}

/** Makes it ready without knowing what it will be told. Where that fails, the launch itself will say why. */
export function expectBubblewrap(host: Host, spec: ExpectedLaunch, keepMs: number): void {
  const { plan } = planStart(host, spec)
  const { signal } = new AbortController()
  host.expected.begin(spellPlan(plan), () => makeReady(host, plan, signal), keepMs)
}

/** What was made ready ahead is used only where it was started with exactly the same words. */
async function readyFor(host: Host, plan: StartPlan, signal: AbortSignal): Promise<ReadyStart> {
  const ahead = await host.expected.take(spellPlan(plan))?.catch(() => undefined)
  const isThere = ahead?.parked.child.exitCode === null && ahead.parked.child.signalCode === null
  return ahead && isThere ? ahead : await makeReady(host, plan, signal)
}

function planStart(host: Host, spec: ExpectedLaunch) {
  const program = findProgram(spec, INSIDE_NODE, host)
  const node = { source: host.nodePath, target: INSIDE_NODE, writable: false }
  const declared = declaredMounts(spec.settings, host)
  const mounts = [node, ...authorityMounts(host), ...program.mounts, ...declared]
  const { memoryLimitBytes } = spec.settings
  const shown = mounts.map(({ source }) => whichFile(source))
  return { program, plan: { options: startOptions(host, spec, mounts), memoryLimitBytes, shown } }
}

/** Nothing else gets this number as long as it is mounted. Where nothing is there, bubblewrap will say so. */
function whichFile(source: string): string {
  const found = statSync(source, { bigint: true, throwIfNoEntry: false })
  return found ? `${found.dev}:${found.ino}` : ''
}

function authorityMounts({ extraAuthorities }: Host): readonly Mount[] {
  if (extraAuthorities === undefined) return []
  return [{ source: extraAuthorities, target: INSIDE_AUTHORITIES, writable: false }]
}

function startOptions(host: Host, spec: ExpectedLaunch, mounts: readonly Mount[]): StartOptions {
  const tools = findTools()
  const calling = planCalling(tools, host.user, mounts)
  const places = placesFor(spec)
  const made = { '/etc/hosts': hostsFile(places), [START_FILE]: START_PROGRAM }
  const files = { ...SYSTEM_FILES, ...made }
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
      startArguments(SHEET_DESCRIPTOR, places),
    ].flat(),
    places,
    identity: calling.identity,
    feeds: [
      words.map((word) => `${word}\0`).join(''),
      seccompFilter(process.arch === 'arm64' ? 'arm64' : 'x64'),
      ...Object.values(files),
    ],
    warden: host.warden,
  }
}

/** Bubblewrap says little and Perl less, so the machine is asked what it lacks. */
async function whyNot(spec: LaunchSpec, cause: unknown, signal: AbortSignal): Promise<unknown> {
  if (signal.aborted) return signal.reason
  const checks = await sandboxChecks(signal)
  const broken = checks.find(({ verdict }) => verdict === 'fail')
  return broken ? noSandbox(broken, cause) : startFailed(spec.server, cause)
}
