/**
 * The folder that a server's program needs mounted, derived from one of its files. Pure but for the two questions in
 * `Surroundings`.
 *
 *   below a node_modules folder → the outermost such folder: a package finds its dependencies there
 *   else, the nearest folder with a package.json or a node_modules of its own that nobody else planted there
 *   else, or when that folder holds something private (a home, say) → the file alone
 */
import path from 'node:path'
import { isWithin } from './private-places.ts'

const MODULES = 'node_modules'
const MARKS = ['package.json', MODULES]

export interface Surroundings {
  /** Whether it exists, and nobody but the owner of the program, Cordon's user and root could have put it there. */
  isMark(path: string): boolean
  /** Whether a folder is private, or contains a private one. */
  isPrivate(path: string): boolean
  /** The folders that this or another server may write: it could remove a mark there to be shown the folder above. */
  readonly writable: readonly string[]
}

export function packageRoot(file: string, around: Surroundings): string {
  const root = modulesFolder(file) ?? markedFolder(file, around)
  return root === undefined || around.isPrivate(root) ? file : root
}

function modulesFolder(file: string): string | undefined {
  const parts = file.split('/')
  const first = parts.indexOf(MODULES)
  return first === -1 ? undefined : parts.slice(0, first + 1).join('/')
}

function markedFolder(file: string, around: Surroundings): string | undefined {
  const own = around.writable.find((folder) => isWithin(file, folder)) ?? '/'
  for (let folder = path.dirname(file); folder !== '/'; folder = path.dirname(folder)) {
    if (!isWithin(folder, own)) return undefined
    if (MARKS.some((mark) => around.isMark(path.join(folder, mark)))) return folder
  }
  return undefined
}
