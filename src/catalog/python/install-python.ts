/**
 * Installs one Python package into one folder. The order is the security argument: ask this machine's Python what it is →
 * read which index the owner's pip uses → resolve → check every line of the lock → fetch wheels, compare each with its
 * SHA-256 and unpack them → compile → seal and hash the files. No code of a package runs. On any failure the caller
 * deletes the folder under construction with everything in it.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { InstallProgress } from '../../ports/catalog-port.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { PYTHON_FLAGS } from '../../text/python-flags.ts'
import { finishTree } from '../install/finish-tree.ts'
import { createWatch, type StepParts } from '../install/npm-task.ts'
import type { PartFolder } from '../install/part-folder.ts'
import { reasonOf, Unfit } from '../install/unfit.ts'
import { cannotInstallPython } from './python-errors.ts'
import { readPythonFacts } from './python-facts.ts'
import { readPythonIndex } from './python-index.ts'
import type { IndexClaims, LockedWheel, PythonFacts } from './python-job.ts'
import { checkWheels, LOCK_FILE, spellLock } from './spell-lock.ts'
import { readPrograms } from './read-programs.ts'
import { hostsOf, type PythonTask, runPythonTask } from './python-task.ts'
import { runInside } from './run-inside.ts'
import { accepts, namesPreRelease } from './specifier.ts'
import { MODULES, spellStart, startFileName, STARTS } from './spell-start.ts'
import { isPreRelease, parseVersion } from './version.ts'
import { parseRange, type PythonLaunch, type WantedPython } from './wanted-python.ts'

export interface PythonInstall {
  readonly wanted: WantedPython
  readonly launch: PythonLaunch
  readonly part: PartFolder
  readonly progress: InstallProgress
}

export async function installPython(
  parts: StepParts,
  job: PythonInstall,
  signal: AbortSignal,
): Promise<void> {
  const { wanted, part, progress } = job
  const { what, name, version, extras } = wanted
  progress(`Looking up ${what}`)
  const task = await openTask(parts, wanted, part, signal)

  progress(`Looking up what ${what} needs`)
  const resolving = createWatch((found, bytes) =>
    progress(`Looking up what ${what} needs`, `${found} answers, ${megabytes(bytes)}`),
  )
  const resolved = await runPythonTask(
    parts,
    { ...task, watch: resolving },
    { step: 'resolve', answer: 'resolved', name, extras, specifiers: `==${version}` },
    signal,
  )
  const { wheels } = resolved
  const own = checkLock(wanted, wheels, hostsOf(task.index))

  progress(`Installing ${what} in a sandbox`)
  const fetching = createWatch((found, bytes) => {
    const done = `${Math.min(found, wheels.length)} of ${counted(wheels.length)}`
    progress(`Installing ${what} in a sandbox`, `${done}, ${megabytes(bytes)}`)
  })
  const { refused } = await runPythonTask(
    parts,
    { ...task, watch: fetching },
    { step: 'fetch', answer: 'fetched', name, wheels },
    signal,
  )

  progress(`Checking every file of ${what}`)
  await compile(parts, task, signal)
  await finish(job, task.python, { wheels, own, refused, claims: resolved.claims })
  signal.throwIfAborted()
}

/** The newest version that a launch accepts today. From then on that version is pinned. */
export async function resolvePythonVersion(
  parts: StepParts,
  launch: PythonLaunch,
  { server, part }: { readonly server: ServerId; readonly part: PartFolder },
  signal: AbortSignal,
): Promise<string> {
  const specifiers = parseRange(launch)
  if (!specifiers) return launch.version
  const { package: name } = launch
  const versions = await listVersions(parts, { server, name, part }, signal)
  const fitting = versions.flatMap((one) => {
    const version = parseVersion(one.version)
    return version && !one.isYanked && accepts(specifiers, version) ? [version] : []
  })
  const released = fitting.filter((version) => !isPreRelease(version))
  const [newest] = released.length > 0 && !namesPreRelease(specifiers) ? released : fitting
  if (newest) return newest.text
  throw cannotInstallPython('no-such-package', name, 'the Python index has no such version of it')
}

/** Newest first. */
export async function listVersions(
  parts: StepParts,
  {
    server,
    name,
    part,
  }: { readonly server: ServerId; readonly name: string; readonly part: PartFolder },
  signal: AbortSignal,
): Promise<readonly { readonly version: string; readonly isYanked: boolean }[]> {
  const task = await openTask(parts, { server, what: name }, part, signal)
  const asked = { step: 'versions', answer: 'versions', name } as const
  return (await runPythonTask(parts, task, asked, signal)).versions
}

export async function openTask(
  parts: StepParts,
  { server, what }: Pick<WantedPython, 'server' | 'what'>,
  part: PartFolder,
  signal: AbortSignal,
): Promise<PythonTask> {
  const python = await readPythonFacts(parts, { server, what, part }, signal)
  const index = await readPythonIndex(parts, python.pips, what)
  return { server, what, part, python, index }
}

/** The wheel of the wanted package itself. */
function checkLock(
  { what, name, version, integrity }: WantedPython,
  wheels: readonly LockedWheel[],
  hosts: readonly string[],
): LockedWheel {
  try {
    checkWheels(wheels, hosts)
  } catch (cause) {
    throw cannotInstallPython(
      'unsafe-package',
      what,
      reasonOf(cause, 'its lock cannot be read'),
      cause,
    )
  }
  const own = wheels.find((wheel) => wheel.name === name && wheel.version === version)
  if (!own)
    throw cannotInstallPython('no-such-package', what, 'the Python index has no such version of it')
  if (integrity !== undefined && integrity !== integrityOf(own)) {
    throw cannotInstallPython(
      'integrity',
      what,
      'the Python index has another wheel than the pinned one',
    )
  }
  return own
}

function integrityOf({ sha256 }: LockedWheel): string {
  return `sha256-${Buffer.from(sha256, 'hex').toString('base64')}`
}

/**
 * Compiles every module ahead, since a server cannot write beside its modules: otherwise each start would compile all of
 * them. Compiling runs nothing. A file that cannot be compiled is left to the program that imports it.
 */
async function compile(parts: StepParts, task: PythonTask, signal: AbortSignal): Promise<void> {
  const { server, part } = task
  const how = ['-q', '-q', '--invalidation-mode', 'unchecked-hash']
  const args = [PYTHON_FLAGS, '-m', 'compileall', ...how, path.join(part.tree, MODULES)]
  await runInside(
    parts,
    { server, part, command: 'python3', args, writePaths: [part.tree] },
    signal,
  )
}

interface Found {
  readonly wheels: readonly LockedWheel[]
  readonly own: LockedWheel
  readonly refused: readonly string[]
  readonly claims: IndexClaims
}

async function finish(
  { wanted, launch, part }: PythonInstall,
  python: PythonFacts,
  { wheels, own, refused, claims }: Found,
): Promise<void> {
  const { what, name, version } = wanted
  const { tree } = part
  const bad = (cause: unknown): never => {
    throw cannotInstallPython(
      'bad-package',
      what,
      reasonOf(cause, 'its description is damaged'),
      cause,
    )
  }
  const programs = await readPrograms(tree, name, launch).catch(bad)
  await mkdir(path.join(tree, STARTS))
  for (const [program, entry] of programs.all) {
    const file = startFileName(program)
    const text = spellStart(program, entry, python.version)
    if (file !== undefined) await writeFile(path.join(tree, STARTS, file), text)
  }
  const lock = spellLock(wheels, { python: python.full, extras: wanted.extras })
  await writeFile(path.join(tree, LOCK_FILE), lock)
  await writeFile(path.join(tree, 'package.json'), `${JSON.stringify({ name, private: true })}\n`)
  const { uploadedAt, isYanked } = claims
  await finishTree(tree, () => ({
    package: name,
    version,
    integrity: integrityOf(own),
    ...(uploadedAt !== undefined && { publishedAt: new Date(uploadedAt).toISOString() }),
    ...(isYanked && { deprecated: 'its publisher withdrew this version' }),
    packages: wheels.length,
    refusedScripts: [...refused],
  })).catch((cause: unknown) => {
    throw cause instanceof Unfit
      ? cannotInstallPython('unsafe-package', what, cause.message, cause)
      : cause
  })
}

function counted(packages: number): string {
  return packages === 1 ? '1 package' : `${packages} packages`
}

function megabytes(bytes: number): string {
  return `${(bytes / 2 ** 20).toFixed(1)} MB`
}
