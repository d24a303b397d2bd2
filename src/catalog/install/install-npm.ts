/**
 * Installs one npm package into one folder. The order is the security argument: ask npm for the registry → ask the
 * registry about the package → compare with the pin → let npm fetch and unpack it, scripts off → read the lockfile →
 * seal and hash the files. On any failure the caller deletes the folder under construction with everything in it.
 */
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import type { InstallProgress } from '../../kernel/catalog-port.ts'
import { findEntry } from './find-entry.ts'
import { finishTree } from './finish-tree.ts'
import { cannotInstall } from './install-errors.ts'
import { type Lockfile, nameAt, parseLockfile } from './lockfile.ts'
import { explainNpm } from './explain-npm.ts'
import { FACT_FIELDS, type PackageFacts, parsePackageFacts, parseVersion } from './package-facts.ts'
import type { PartFolder } from './part-folder.ts'
import { askRegistry, type Registry, type RegistryParts } from './registry.ts'
import { type NpmRun, runNpm } from './run-npm.ts'
import type { TreeEntry } from './tree.ts'
import { reasonOf, Unfit } from './unfit.ts'
import type { TaggedPackage, WantedPackage } from './wanted-package.ts'

/** No script of a package runs, and no part of it comes from outside the registry. */
const INSTALL = [
  ['install', '--json', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact'],
  ['--omit=dev', '--no-bin-links', '--package-lock', '--install-strategy=hoisted'],
  ['--allow-git=none', '--allow-remote=none', '--allow-file=none', '--allow-directory=none'],
].flat()
/** For dependencies: malicious releases are mostly found and withdrawn within days. The package itself was chosen. */
const YOUNGEST_DAYS = 3
const NETWORK = [
  ['--fetch-retries=1', '--fetch-retry-mintimeout=500', '--fetch-retry-maxtimeout=2000'],
  ['--fetch-timeout=60000', '--maxsockets=8'],
].flat()

export interface NpmJob {
  readonly wanted: WantedPackage
  /** The name of the program, if the package has several. */
  readonly bin: string | undefined
  readonly part: PartFolder
  readonly progress: InstallProgress
}

export async function installNpm(
  parts: RegistryParts,
  job: NpmJob,
  signal: AbortSignal,
): Promise<void> {
  const { wanted, part, progress } = job
  const { what } = wanted
  progress(`Looking up ${what}`)
  const registry = await askRegistry(parts, { ...wanted, part }, signal)
  refuseElsewhere(what, registry, [wanted.name])
  const run = { server: wanted.server, host: registry.host, cache: part.cache }
  const facts = await askFacts(parts, { ...run, args: viewArgs(wanted, registry) }, wanted, signal)

  progress(`Installing ${what} in a sandbox`)
  const args = installArgs(wanted, registry, part)
  const result = await runNpm(parts, { ...run, args, writePaths: [part.tree] }, signal)
  if (!succeeded(result.end)) throw explainNpm({ what, host: registry.host, isKnown: true }, result)

  progress(`Checking every file of ${what}`)
  const lock = await readLock(what, part)
  refuseElsewhere(what, registry, lock.places.map(nameAt))
  const home = `node_modules/${wanted.name}`
  const integrity = lock.integrity.get(home)
  if (integrity === undefined) throw cannotInstall('bad-package', what, 'npm did not install it')
  comparePin(wanted, integrity)
  await findEntry(path.join(part.tree, home), job.bin).catch((cause: unknown) => {
    throw cannotInstall('bad-package', what, reasonOf(cause, 'its description is damaged'), cause)
  })
  await finishTree(part.tree, (entries) => ({
    package: wanted.name,
    version: wanted.version,
    integrity,
    ...claimsOf(facts),
    packages: countInstalled(lock, entries),
    refusedScripts: [...lock.scripted],
  })).catch((cause: unknown) => {
    throw cause instanceof Unfit
      ? cannotInstall('unsafe-package', what, cause.message, cause)
      : cause
  })
  signal.throwIfAborted()
}

/** The exact version behind a tag (`latest`) today. From then on that version is pinned. */
export async function resolveTag(
  parts: RegistryParts,
  { server, name, tag, part }: TaggedPackage & { readonly part: PartFolder },
  signal: AbortSignal,
): Promise<string> {
  const what = `${name}@${tag}`
  const registry = await askRegistry(parts, { server, what, part }, signal)
  refuseElsewhere(what, registry, [name])
  const args = ['view', what, 'version', '--json', ...NETWORK, '--registry', registry.url]
  const result = await runNpm(
    parts,
    { server, host: registry.host, cache: part.cache, args },
    signal,
  )
  if (!succeeded(result.end)) throw explainNpm({ what, host: registry.host }, result)
  const version = parseVersion(result.stdout)
  if (version !== undefined) return version
  throw cannotInstall('no-such-package', what, 'the npm registry knows nothing of it')
}

function installArgs({ name, what }: WantedPackage, { url }: Registry, { tree }: PartFolder) {
  const youngest = [`--min-release-age=${YOUNGEST_DAYS}`, `--min-release-age-exclude=${name}`]
  return [...INSTALL, ...NETWORK, ...youngest, '--registry', url, '--prefix', tree, what]
}

function viewArgs({ what }: WantedPackage, { url }: Registry): readonly string[] {
  return ['view', what, ...FACT_FIELDS, '--json', ...NETWORK, '--registry', url]
}

async function askFacts(
  parts: RegistryParts,
  run: NpmRun & { readonly host: string },
  wanted: WantedPackage,
  signal: AbortSignal,
): Promise<PackageFacts> {
  const { what, version } = wanted
  const result = await runNpm(parts, run, signal)
  if (!succeeded(result.end)) throw explainNpm({ what, host: run.host }, result)
  const facts = parsePackageFacts(result.stdout, version)
  if (!facts) throw cannotInstall('no-such-package', what, 'the npm registry knows nothing of it')
  if (facts.integrity !== undefined) comparePin(wanted, facts.integrity)
  return facts
}

function comparePin({ what, integrity: pinned }: WantedPackage, found: string): void {
  if (pinned === undefined || pinned === found) return
  throw cannotInstall('integrity', what, 'the npm registry has another archive than the pinned one')
}

/** Against dependency confusion: in this registry anyone may own a name of the owner's private scope. */
function refuseElsewhere(what: string, { scopes }: Registry, names: readonly string[]): void {
  const found = names.find((name) => scopes.has(name.split('/')[0] ?? ''))
  if (found === undefined) return
  const why = `your npm settings get ${JSON.stringify(found)} from another registry`
  throw cannotInstall('registry-setting', what, why)
}

async function readLock(what: string, part: PartFolder): Promise<Lockfile> {
  try {
    return parseLockfile(await readFile(path.join(part.tree, 'package-lock.json'), 'utf8'))
  } catch (cause) {
    throw cannotInstall('integrity', what, reasonOf(cause, 'npm left no lockfile'), cause)
  }
}

/** The lockfile lists optional packages for other platforms too, which are not on disk. */
function countInstalled({ places }: Lockfile, entries: readonly TreeEntry[]): number {
  const there = new Set(entries.map((entry) => entry.path))
  return places.filter((place) => there.has(`${place}/`)).length
}

function claimsOf({ publisher, publishedAt, hasProvenance }: PackageFacts) {
  return {
    ...(publisher !== undefined && { publisher }),
    ...(publishedAt !== undefined && { publishedAt }),
    hasProvenance,
  }
}

function succeeded(end: { readonly kind: string; readonly code?: number }): boolean {
  return end.kind === 'exited' && end.code === 0
}
