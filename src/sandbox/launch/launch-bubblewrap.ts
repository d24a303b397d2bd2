/**
 * Starts a server in its bubblewrap sandbox: find the program, mount only the folders it needs, park it before its
 * first line, set the limits, release it. A step that fails refuses the launch; it never falls back to less isolation.
 */
import type { LaunchSpec, MemoryLayer, SandboxedProcess } from '../../kernel/sandbox-port.ts'
import type { PinnedPath, PinPath } from '../../ports/pinned-path-port.ts'
import { sandboxChecks } from '../sandbox-checks.ts'
import { dataMounts } from './data-mounts.ts'
import { type BrowserParts, withBrowser } from '../plan/with-browser.ts'
import { filesOver, imageParts } from '../plan/image-parts.ts'
import { imageEnvironment, type ImageStart, imageStart } from './image-start.ts'
import { declaredMounts, programMounts } from '../plan/declared-mounts.ts'
import { insideEnvironment } from '../plan/inside-environment.ts'
import { findProgram, type Program } from '../plan/find-program.ts'
import type { Host } from '../host.ts'
import { findTools } from './host-tools.ts'
import {
  INSIDE_AUTHORITIES,
  INSIDE_NODE,
  INSIDE_SEAL,
  START_FILE,
  SYSTEM_FILES,
} from '../plan/inside-files.ts'
import { landlockRules } from '../plan/landlock-rules.ts'
import { processLimit, resourceLimits } from '../plan/limits.ts'
import { FIRST_FEED, INFO_DESCRIPTOR, SHEET_DESCRIPTOR, type StartOptions } from './parked-start.ts'
import type { Mount } from '../plan/mount.ts'
import { hostsFile, placesFor } from '../plan/places.ts'
import { bubblewrapArguments } from '../plan/profile.ts'
import { makeReady, type ReadyStart, released, wordFor } from './make-ready.ts'
import { otherThanJudged } from './other-than-judged.ts'
import { noSandbox, pathRefused, startFailed } from '../sandbox-errors.ts'
import { lastFilter, seccompFilter } from '../seccomp/seccomp-filter.ts'
import { socketFolder, socketMounts } from './socket-mounts.ts'
import { START_PROGRAM, startArguments, writeSheets } from './start-program.ts'
import { systemMounts } from '../plan/system-mounts.ts'
import { planCalling, type User } from './unprivileged-user.ts'

const ARCHITECTURE = process.arch === 'arm64' ? 'arm64' : 'x64'
const CHANGED = 'it was replaced while the server was started'
const ARGUMENTS_DESCRIPTOR = FIRST_FEED
const SECCOMP_DESCRIPTOR = FIRST_FEED + 1
const FIRST_FILE = FIRST_FEED + 2

/**
 * A cgroup that was found and then does not take the server decides more than its memory: the filter that is already loaded allows
 * kinds of it that only a cgroup counts. So that start is dismissed, and made again as on a machine without cgroups.
 */
export async function launchBubblewrap(
  host: Host,
  asked: LaunchSpec,
  signal: AbortSignal,
): Promise<SandboxedProcess> {
  let word: Promise<unknown> | undefined
  const spec = {
    ...asked,
    goAhead: async () => await (word ??= Promise.resolve(asked.goAhead?.())),
  }
  const held = await launchOn(host, spec, signal)
  if (held) return held
  const watched = await launchOn({ ...host, cgroups: undefined }, spec, signal)
  return watched ?? Promise.reject(startFailed(asked.server, 'no limit holds'))
}

/** Undefined, and no process is left, if the host has cgroups and none holds the server. */
async function launchOn(
  host: Host,
  asked: LaunchSpec,
  signal: AbortSignal,
): Promise<SandboxedProcess | undefined> {
  const { spec, mounts: beside, files, start } = await planned(asked, signal)
  const program = spec.settings.image
    ? { path: spec.command, mounts: [], beside: [] }
    : findProgram(spec, INSIDE_NODE, host)
  using pins = new DisposableStack()
  const shown = mountsFor(host, spec, [...program.mounts, ...beside], pins)
  const options = startOptions(host, spec, program, { ...shown, files, start })
  const { memoryLimitBytes } = spec.settings
  const limitsFor = (layer: MemoryLayer) =>
    new Map([...resourceLimits(memoryLimitBytes, layer), ...processLimit(spec.settings)])
  const sheets = writeSheets(
    {
      command: [program.path, ...spec.args],
      environment: insideEnvironment(spec, host.extraAuthorities !== undefined),
      walls: landlockRules({
        settings: spec.settings,
        mounts: shown.mounts,
        beside: program.beside,
        places: placesFor(spec),
      }),
      filters: [lastFilter(ARCHITECTURE)],
    },
    limitsFor,
  )
  const starting = makeReady(host, options, { memoryLimitBytes, limitsFor }, signal)
  const word = wordFor(spec, signal)
  const ready = await starting.catch(async (cause: unknown) => {
    throw await whyNot(spec, cause, signal)
  })
  if (host.cgroups && ready.process.memoryLayer === 'rlimit+watchdog') return await dismissed(ready)
  await checkedOrEnded(ready, shown.mounts, host.pinPath)
  await ready.entered.catch(async (cause: unknown) => {
    throw await whyNot(spec, cause, signal)
  })
  await released(ready, sheets(ready.process.memoryLayer), word)
  const sockets = socketFolder(host, spec)
  return sockets === undefined ? ready.process : Object.assign(ready.process, { sockets })
}

async function dismissed({ parked, process }: ReadyStart): Promise<undefined> {
  parked.release('')
  await process.stop()
}

interface Planned extends BrowserParts {
  /** Absent: the start program runs with the Perl of this machine. */
  readonly start?: ImageStart | undefined
}

/** The launch with what its kind needs: the browser of this machine, or the root file system of an image. */
async function planned(asked: LaunchSpec, signal: AbortSignal): Promise<Planned> {
  const { image, readPaths, writePaths } = asked.settings
  if (!image) return withBrowser(asked)
  const start = await imageStart(findTools().perl, signal)
  const { mounts, links } = imageParts(image, [...readPaths, ...writePaths])
  const environment = imageEnvironment(image, asked.environment)
  return {
    spec: { ...asked, environment },
    mounts,
    files: filesOver(image),
    start: { ...start, mounts: [...links, ...start.mounts] },
  }
}

interface Shown {
  readonly mounts: readonly Mount[]
  /** Undefined: Cordon's own user, who is not root. */
  readonly user: User | undefined
}

/** `pins` holds every source open, so that none of their inodes can be given to another file. */
function mountsFor(
  host: Host,
  spec: LaunchSpec,
  ofPrograms: readonly Mount[],
  pins: DisposableStack,
): Shown {
  const hold = (pin: PinnedPath): PinnedPath => pins.use(pin)
  const node = { source: host.nodePath, target: INSIDE_NODE, writable: false }
  const own = [...(spec.settings.image ? [] : [node]), ...authorityMounts(host)]
  const pin = (source: string): PinnedPath => hold(host.pinPath(source))
  const identified = (mounts: readonly Mount[]) => mounts.map((mount) => identify(mount, pin))
  const found = programMounts(ofPrograms, host, hold)
  const shown = [...identified(own), ...found, ...declaredMounts(spec.settings, host, hold)]
  const user = host.users?.userFor(spec.server, shown)
  const made = [...dataMounts(host, spec, user), ...socketMounts(host, spec, user)]
  return { mounts: [...shown, ...identified(made)], user }
}

/** The source is a path without links; one with a link was swapped since it was resolved. */
function identify(mount: Mount, pin: PinPath): Mount {
  const held = pinned(mount, pin)
  if (held?.path !== mount.source) throw pathRefused(mount.target, CHANGED)
  return { ...mount, identity: held.identity }
}

/** Undefined where the source is gone, or was moved while it was opened. */
function pinned({ source }: Mount, pin: PinPath): PinnedPath | undefined {
  try {
    return pin(source)
  } catch {
    return undefined
  }
}

/** Ends the parked start unless each target inside is a mount of the source that was judged. */
async function checkedOrEnded(
  { process }: Pick<ReadyStart, 'process'>,
  mounts: readonly Mount[],
  pinPath: PinPath,
): Promise<void> {
  const other = otherThanJudged(process.pid, mounts, pinPath)
  if (other === undefined) return
  await process.stop()
  throw pathRefused(other, CHANGED)
}

function authorityMounts({ extraAuthorities }: Host): readonly Mount[] {
  if (extraAuthorities === undefined) return []
  return [{ source: extraAuthorities, target: INSIDE_AUTHORITIES, writable: false }]
}

function startOptions(
  host: Host,
  spec: LaunchSpec,
  program: Program,
  { mounts, user, files: own, start }: Shown & Pick<Planned, 'files' | 'start'>,
): StartOptions {
  const tools = findTools()
  const calling = planCalling(tools, user, mounts)
  const places = placesFor(spec)
  const made = {
    '/etc/hosts': hostsFile(places),
    [START_FILE]: start?.program ?? START_PROGRAM,
  }
  const sealed = spec.authority === undefined ? {} : { [INSIDE_SEAL]: spec.authority }
  const files = { ...(start ? {} : SYSTEM_FILES), ...made, ...own, ...sealed }
  const words = bubblewrapArguments({
    settings: spec.settings,
    system: start?.mounts ?? systemMounts(),
    mounts: calling.mounts,
    beside: program.beside,
    files: new Map(Object.keys(files).map((name, index) => [name, FIRST_FILE + index])),
    seccompDescriptor: SECCOMP_DESCRIPTOR,
    infoDescriptor: INFO_DESCRIPTOR,
  })
  return {
    words: [
      calling.words,
      ['--args', String(ARGUMENTS_DESCRIPTOR), '--', ...(start?.words ?? [tools.perl, START_FILE])],
      startArguments(SHEET_DESCRIPTOR, places),
    ].flat(),
    places,
    identity: calling.identity,
    feeds: [
      words.map((word) => `${word}\0`).join(''),
      filterFor(host, spec),
      ...Object.values(files),
    ],
    warden: host.warden,
  }
}

function filterFor({ cgroups }: Host, { settings, socketsAt }: LaunchSpec): Uint8Array {
  return seccompFilter(ARCHITECTURE, {
    unixSockets: socketsAt !== undefined || settings.startsBrowser === true,
    watchesOpening: settings.watchesOpening === true,
    isUncounted: cgroups === undefined,
  })
}

/** Error messages of bubblewrap and Perl are terse, so the sandbox checks look for the cause on this machine. */
async function whyNot(spec: LaunchSpec, cause: unknown, signal: AbortSignal): Promise<unknown> {
  if (signal.aborted) return signal.reason
  const checks = await sandboxChecks(signal)
  const broken = checks.find(({ verdict }) => verdict === 'fail')
  return broken ? noSandbox(broken, cause) : startFailed(spec.server, cause)
}
