/**
 * The folder that a flow may read and write in, and nothing outside it. Links are followed first and the place they lead
 * to is judged; then every folder on the way is opened by itself, and none of them may be a link by then. On Linux a file
 * is opened relative to its opened folder, so nobody can put another one in its place in between.
 */
import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { FileProblem } from './file-problem.ts'

export interface Places {
  /** Cordon's own home, where no flow reads or writes. */
  readonly home: string
  /** The owner's; what is hidden at the top of it holds keys and settings. */
  readonly userHome: string
}

export interface GuardedFile extends AsyncDisposable {
  /** What to show of it: as it is within the folder. */
  readonly shown: string
  /** A path for a name beside it; the file itself where absent. */
  path(name?: string): string
  /** Makes the names in its folder outlive a crash. */
  sync(): Promise<void>
}

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW

/** The caller owns what it returns. The file itself need not be there; the folder it is in has to be. */
export async function openGuarded(
  places: Places,
  folder: string | undefined,
  written: string,
): Promise<GuardedFile> {
  if (folder === undefined) throw new FileProblem('forbidden', 'this run was given no folder')
  if (written === '' || written.includes('\0')) throw new FileProblem('error', 'the path is empty')
  const root = await real(folder, 'the folder of the run')
  const wanted = resolve(root, written)
  // First by its words alone: whether something is there is nobody's business.
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
  // No file of anybody's: one of them is the environment of this process, with the secrets that were put there.
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

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** What is not there has no links in it. */
async function realOr(path: string): Promise<string> {
  return await realpath(path).catch(() => resolve(path))
}

/** From the folder of the run down to the one the file is in; a link on the way was not there a moment ago. */
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
