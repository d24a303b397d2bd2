/**
 * One task of npm: a sign of life of the registry, its claims about a package, a lockfile with everything that
 * the package needs, and the packages of that lockfile. Scripts are off, and nothing comes from outside the registry.
 */
import type { InstallProgress } from '../../ports/catalog-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { explainNpm, type NpmStep } from './explain-npm.ts'
import { OWN_ARCHIVES } from './own-archives.ts'
import type { PartFolder } from './part-folder.ts'
import type { Registry } from './registry.ts'
import { type NpmRun, type RegistryParts, runNpm } from './run-npm.ts'

/** No script of a package runs, and no part of it comes from outside the registry. */
const SAFELY = [
  ['--json', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=http'],
  ['--omit=dev', '--no-bin-links', '--package-lock', '--install-strategy=hoisted'],
  ['--allow-git=none', '--allow-remote=none', '--allow-file=none', '--allow-directory=none'],
].flat()
/** For dependencies: malicious releases are mostly found and withdrawn within days. The package itself was chosen. */
const YOUNGEST_DAYS = 3
const RETRIES = [
  '--fetch-retries=1',
  '--fetch-retry-mintimeout=500',
  '--fetch-retry-maxtimeout=2000',
]
/** How long the registry may be silent in one request. */
const SILENCE_MS = 30_000

export interface NpmTask {
  readonly server: ServerId
  /** `name@version`, as npm and people write it. */
  readonly what: string
  readonly registry: Registry
  readonly part: PartFolder
}

export interface StepParts extends RegistryParts {
  /** For tests: another time than half a minute for a registry that is silent. */
  readonly silenceMs?: number
  /** For tests: another trusted root than the shipped one. */
  readonly trustedRoot?: object
}

/** Fields of the registry's document about a package, as JSON. */
export async function viewPackage(
  parts: StepParts,
  task: NpmTask,
  fields: readonly string[],
  signal: AbortSignal,
): Promise<string> {
  return await run(
    parts,
    task,
    { step: 'look-up', args: ['view', task.what, ...fields, '--json'] },
    signal,
  )
}

/** Throws unless the registry answers; some know no ping, and say so, which is an answer. */
export async function pingRegistry(
  parts: StepParts,
  task: NpmTask,
  signal: AbortSignal,
): Promise<void> {
  const step: Step = { step: 'look-up', args: ['ping', '--json'] }
  await run(parts, task, step, signal).catch((error: unknown) => {
    if (!(error instanceof CordonError) || error.code !== 'catalog.no-such-package') throw error
  })
}

/** Writes a lockfile with everything that the package needs; opens only archives that carry other packages. */
export async function lockPackage(
  parts: StepParts,
  task: NpmTask & { readonly name: string; readonly progress: InstallProgress },
  signal: AbortSignal,
): Promise<void> {
  const { what, name, part, progress } = task
  const args = ['install', '--package-lock-only', '--save-exact', ...SAFELY, ...ageFor(name)]
  const watch = createWatch((found, bytes) =>
    progress(`Looking up what ${what} needs`, `${counted(found)}, ${megabytes(bytes)}`),
  )
  const all = [...args, '--prefix', part.tree, what]
  const step: Step = { step: 'resolve', args: all, watch, preload: OWN_ARCHIVES }
  await run(parts, task, step, signal)
}

/**
 * Fetches and unpacks what the lockfile names, each archive with its SHA-512. Not `npm ci`: it refuses a lockfile from
 * which an optional dependency is absent because the registry has no version of it, or only one that is too young.
 */
export async function fetchPackages(
  parts: StepParts,
  task: NpmTask & {
    readonly name: string
    readonly toFetch: number
    readonly progress: InstallProgress
  },
  signal: AbortSignal,
): Promise<void> {
  const { what, name, part, toFetch, progress } = task
  const watch = createWatch((found, bytes) => {
    const done = `${Math.min(found, toFetch)} of ${counted(toFetch)}`
    progress(`Installing ${what} in a sandbox`, `${done}, ${megabytes(bytes)}`)
  })
  const args = ['install', ...SAFELY, ...ageFor(name), '--prefix', part.tree]
  await run(parts, task, { step: 'fetch', args, watch }, signal)
}

function ageFor(name: string): readonly string[] {
  return [`--min-release-age=${YOUNGEST_DAYS}`, `--min-release-age-exclude=${name}`]
}

interface Step extends Pick<NpmRun, 'args' | 'watch' | 'preload'> {
  readonly step: NpmStep
}

async function run(
  parts: StepParts,
  { server, what, registry, part }: NpmTask,
  { step, args, ...more }: Step,
  signal: AbortSignal,
): Promise<string> {
  const silence = `--fetch-timeout=${parts.silenceMs ?? SILENCE_MS}`
  const all = [...args, ...RETRIES, silence, '--maxsockets=8']
  const writePaths = step === 'look-up' ? [] : [part.tree]
  const whole = { server, args: all, registry, part, writePaths, ...more }
  const result = await runNpm(parts, whole, signal)
  if (result.end.kind === 'exited' && result.end.code === 0) return result.stdout
  throw explainNpm({ what, registry, step }, result)
}

/** A line of npm, or one of Cordon's own program for Python packages. */
const ANSWERED = /^(?:npm http fetch GET 200 |\+$)/

/** Counts the answers of the registry in npm's messages, and the bytes that came. */
export function createWatch(
  tell: (found: number, bytes: number) => void,
): NonNullable<NpmRun['watch']> {
  let rest = ''
  let found = 0
  let all = 0
  return {
    onBytes(bytes) {
      all += bytes
      tell(found, all)
    },
    onMessage(text) {
      const lines = (rest + text).split('\n')
      rest = (lines.pop() ?? '').slice(0, ANSWERED.source.length)
      found += lines.filter((line) => ANSWERED.test(line)).length
      tell(found, all)
    },
  }
}

function counted(packages: number): string {
  return packages === 1 ? '1 package' : `${packages} packages`
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`
}
