/**
 * Confines a flow's file access to one folder. Symbolic links are resolved first and the real path is checked; then
 * each folder on the path is opened with O_NOFOLLOW, so none can become a link meanwhile. On Linux the file is opened
 * relative to its folder's descriptor, which closes the TOCTOU race.
 */
import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { FileProblem } from './file-problem.ts'

export interface Places {
  /** Cordon's own home, which no flow may read or write. */
  readonly home: string
  /** The owner's home; its hidden top-level entries hold keys and settings, so they are refused. */
  readonly userHome: string
}

export interface GuardedFile extends AsyncDisposable {
  /** The path relative to the folder, for display. */
  readonly shown: string
  /** The real path, without links. */
  readonly real: string
  /** The path of `name` in the same folder; without `name`, of the file itself. */
  path(name?: string): string
  /** Syncs the folder, so that its entries survive a crash. */
  sync(): Promise<void>
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** The caller owns the returned handle. The file need not exist, but its folder must. */
export async function openGuarded(
  places: Places,
  folder: string | undefined,
  written: string,
): Promise<GuardedFile> {
  if (folder === undefined) throw new FileProblem('forbidden', 'this run was given no folder')
  if (written === '' || written.includes('\0')) throw new FileProblem('error', 'the path is empty')
  const root = await real(folder, 'the folder of the run')
  const wanted = resolve(root, written)
  // Checked before any file access: a refusal must not reveal whether a path outside exists.
  if (!isInside(root, wanted)) throw outside(written)
  const parent = await real(dirname(wanted), `the folder of ${JSON.stringify(written)}`)
  const target = join(parent, basename(wanted))
  await assertAllowed(places, root, target, written)
  const parts = relative(root, parent)
    .split(sep)
    .filter((part) => part !== '')
  const handle = await openFolders(root, parts, written)
  const base = process.platform === 'linux' ? `/proc/self/fd/${handle.fd}` : parent
  return {
    shown: relative(root, target),
    real: target,
    path: (name = basename(target)) => join(base, name),
    sync: () => handle.sync(),
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

async function real(path: string, what: string): Promise<string> {
  try {
    return await realpath(path)
  } catch (cause) {
    throw FileProblem.from(cause, what)
  }
}

async function assertAllowed(
  { home, userHome }: Places,
  root: string,
  target: string,
  written: string,
): Promise<void> {
  const refuse = (why: string): never => {
    throw new FileProblem('forbidden', `${JSON.stringify(written)} ${why}`)
  }
  if (target === root || !isInside(root, target)) throw outside(written)
  if (isInside(await realOr(home), target)) refuse("is in Cordon's own home")
  // /proc/self/environ would show this process's environment, which may hold secrets.
  if (isInside('/proc', target)) refuse('is a view of a process')
  const own = await realOr(userHome)
  const [top = ''] = relative(own, target).split(sep)
  if (isInside(own, target) && top.startsWith('.')) refuse('is hidden in your home folder')
}

function outside(written: string): FileProblem {
  return new FileProblem(
    'forbidden',
    `${JSON.stringify(written)} leads outside the folder of the run`,
  )
}

export function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** A path that does not exist has no links to resolve. */
async function realOr(path: string): Promise<string> {
  return await realpath(path).catch(() => resolve(path))
}

/**
 * Opens each folder from the run's folder down to the file's; a link here was created after the check and is refused.
 */
async function openFolders(
  root: string,
  parts: readonly string[],
  written: string,
): Promise<FileHandle> {
  const what = `the folder of ${JSON.stringify(written)}`
  const openOne = (path: string): Promise<FileHandle> =>
    open(path, FOLDER).catch((cause: unknown) => {
      throw FileProblem.from(cause, what)
    })
  let path = root
  let handle = await openOne(root)
  for (const part of parts) {
    const above = handle
    path = join(path, part)
    const inside = process.platform === 'linux' ? `/proc/self/fd/${above.fd}/${part}` : path
    try {
      handle = await openOne(inside)
    } finally {
      await above.close()
    }
  }
  return handle
}
