/**
 * Installs one npm package into one folder. The order is the security argument: read which registry the owner's npm
 * uses → ask it about the package → compare with the pin → let npm write a lockfile → check every line of it → let npm
 * fetch and unpack exactly that, scripts off → look through its archives and verify what proves where they come from
 * → seal and hash the files. On any failure the caller deletes the folder
 * under construction with everything in it.
 */
import { existsSync } from 'node:fs'
import { chmod, copyFile, readFile } from 'node:fs/promises'
import path from 'node:path'
import type { InstallProgress } from '../../ports/catalog-port.ts'
import { checkProof } from '../proof/check-proof.ts'
import type { Proof } from '../proof/proof-job.ts'
import { findEntry } from './find-entry.ts'
import { finishTree } from './finish-tree.ts'
import { cannotInstall } from './install-errors.ts'
import { type Lockfile, nameAt, parseLockfile } from './lockfile.ts'
import {
  fetchPackages,
  lockPackage,
  type NpmTask,
  type StepParts,
  viewPackage,
} from './npm-task.ts'
import { FACT_FIELDS, type PackageFacts, parsePackageFacts, parseVersion } from './package-facts.ts'
import type { PartFolder } from './part-folder.ts'
import { readRegistry, type Registry } from './registry.ts'
import { runScripts } from './run-scripts.ts'
import { reasonOf, Unfit } from './unfit.ts'
import type { TaggedPackage, WantedPackage } from './wanted-package.ts'

export interface NpmJob {
  readonly wanted: WantedPackage
  /** The name of the program, if the package has several. */
  readonly bin: string | undefined
  readonly part: PartFolder
  readonly progress: InstallProgress
}

export async function installNpm(
  parts: StepParts,
  job: NpmJob,
  signal: AbortSignal,
): Promise<void> {
  const { wanted, part, progress } = job
  const { what, server, name } = wanted
  progress(`Looking up ${what}`)
  const registry = await readRegistry(parts, what)
  refuseElsewhere(what, registry, [name])
  const task = { server, what, registry, part }
  const facts = await askFacts(parts, task, wanted, signal)

  progress(`Looking up what ${what} needs`)
  if (!isLocked(part.tree)) await lockPackage(parts, { ...task, name, progress }, signal)
  const lock = await readLock(what, part)
  refuseElsewhere(what, registry, lock.places.map(nameAt))
  const integrity = lock.integrity.get(`node_modules/${name}`)
  if (integrity === undefined) throw cannotInstall('bad-package', what, 'npm did not install it')
  comparePin(wanted, integrity)

  progress(`Installing ${what} in a sandbox`)
  await fetchPackages(parts, { ...task, name, toFetch: lock.toFetch, progress }, signal)

  progress(`Checking every file of ${what}`)
  const proving = { name, version: wanted.version, integrity, facts, lock }
  const proof = await checkProof(parts, task, proving, signal)
  if (wanted.allowScripts && lock.scripted.length > 0) {
    progress(`Running the install scripts of ${what}, without network`)
    await runScripts(parts, task, signal)
  }
  await finish(job, lock, { ...facts, ...proof, integrity })
  signal.throwIfAborted()
}

const LOCK = 'package-lock.json'

function isLocked(tree: string): boolean {
  return existsSync(path.join(tree, LOCK))
}

/** From a finished folder of the same package. npm, which may run as another user, writes both files again. */
export async function copyLock(from: string, tree: string): Promise<void> {
  for (const name of ['package.json', LOCK]) {
    await copyFile(path.join(from, name), path.join(tree, name))
    await chmod(path.join(tree, name), 0o666)
  }
}

type Proven = PackageFacts & Proof & { readonly integrity: string }

/** The lockfile is read again: what is sealed must be what was checked. */
async function finish(
  { wanted, bin, part }: NpmJob,
  lock: Lockfile,
  { integrity, signatures: _signed, ...facts }: Proven,
): Promise<void> {
  const { what, name, version } = wanted
  const home = path.join(part.tree, 'node_modules', name)
  const now = await readLock(what, part)
  if (now.text !== lock.text) throw cannotInstall('integrity', what, 'npm changed its lockfile')
  await findEntry(home, bin).catch((cause: unknown) => {
    throw cannotInstall('bad-package', what, reasonOf(cause, 'its description is damaged'), cause)
  })
  await finishTree(part.tree, (folders) => ({
    package: name,
    version,
    integrity,
    ...facts,
    packages: countInstalled(lock, folders),
    ...(wanted.allowScripts
      ? { refusedScripts: [], ranScripts: [...lock.scripted] }
      : { refusedScripts: [...lock.scripted] }),
    ...(lock.prebuilt.length > 0 && { prebuilt: [...lock.prebuilt] }),
  })).catch((cause: unknown) => {
    throw cause instanceof Unfit
      ? cannotInstall('unsafe-package', what, cause.message, cause)
      : cause
  })
}

/** The exact version behind a tag (`latest`) today. From then on that version is pinned. */
export async function resolveTag(
  parts: StepParts,
  { server, name, tag, part }: TaggedPackage & { readonly part: PartFolder },
  signal: AbortSignal,
): Promise<string> {
  const what = `${name}@${tag}`
  const registry = await readRegistry(parts, what)
  refuseElsewhere(what, registry, [name])
  const found = await viewPackage(parts, { server, what, registry, part }, ['version'], signal)
  const version = parseVersion(found)
  if (version !== undefined) return version
  throw cannotInstall('no-such-package', what, 'the npm registry knows nothing of it')
}

async function askFacts(
  parts: StepParts,
  task: NpmTask,
  wanted: WantedPackage,
  signal: AbortSignal,
): Promise<PackageFacts> {
  const { what, version } = wanted
  const facts = parsePackageFacts(await viewPackage(parts, task, FACT_FIELDS, signal), version)
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
    return parseLockfile(await readFile(path.join(part.tree, LOCK), 'utf8'))
  } catch (cause) {
    throw cannotInstall('integrity', what, reasonOf(cause, 'npm left no lockfile'), cause)
  }
}

/** The lockfile lists optional packages for other platforms too, which are not on disk. */
function countInstalled({ places }: Lockfile, folders: readonly string[]): number {
  const there = new Set(folders)
  return places.filter((place) => there.has(`${place}/`)).length
}
