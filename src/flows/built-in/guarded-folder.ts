/**
 * Confines a flow's file access to one folder. The folder of the file is held open while its real path is checked, and
 * the file is opened relative to that descriptor. So a folder that a server swaps for a link meanwhile leads nowhere.
 */
import { constants } from 'node:fs'
import { open, realpath } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { PinnedPath, PinPath } from '../../ports/pinned-path-port.ts'
import { FileProblem } from './file-problem.ts'

export interface Places {
  /** Cordon's own home, which no flow may read or write. */
  readonly home: string
  /** The owner's home; its hidden top-level entries hold keys and settings, so they are refused. */
  readonly userHome: string
  readonly pinPath: PinPath
  /** The folders that any server may write. */
  readonly writableFolders?: () => readonly string[]
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

const FOLDER = constants.O_RDONLY | constants.O_DIRECTORY

/** The caller owns the returned handle. The file need not exist, but its folder must. */
export async function openGuarded(
  places: Places,
  folder: string | undefined,
  written: string,
): Promise<GuardedFile> {
  if (folder === undefined) throw new FileProblem('forbidden', 'this run was given no folder')
  if (written === '' || written.includes('\0')) throw new FileProblem('error', 'the path is empty')
  using root = pinned(places.pinPath, folder, 'the folder of the run')
  await refusePlanted(root, places)
  const wanted = resolve(root.path, written)
  // Checked before any file access: a refusal must not reveal whether a path outside exists.
  if (!isInside(root.path, wanted)) throw outside(written)
  const what = `the folder of ${JSON.stringify(written)}`
  using parent = pinned(places.pinPath, dirname(wanted), what)
  const target = join(parent.path, basename(wanted))
  await assertAllowed(places, root.path, target, written)
  const handle = await open(parent.heldAt, FOLDER).catch((cause: unknown) => {
    throw FileProblem.from(cause, what)
  })
  return {
    shown: relative(root.path, target),
    real: target,
    path: (name = basename(target)) => join(`/proc/self/fd/${handle.fd}`, name),
    sync: () => handle.sync(),
    [Symbol.asyncDispose]: () => handle.close(),
  }
}

function pinned(pinPath: PinPath, path: string, what: string): PinnedPath {
  try {
    return pinPath(path)
  } catch (cause) {
    throw FileProblem.from(cause, what)
  }
}

/** A server that may write there chose where the link leads, and not the owner who named the folder of the run. */
async function refusePlanted(
  { linkFolders }: PinnedPath,
  { writableFolders }: Places,
): Promise<void> {
  const writable = await Promise.all((writableFolders?.() ?? []).map(realOr))
  if (!linkFolders.some((folder) => writable.some((one) => isInside(one, folder)))) return
  throw new FileProblem(
    'forbidden',
    'the folder of the run is behind a link that a server may write',
  )
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
