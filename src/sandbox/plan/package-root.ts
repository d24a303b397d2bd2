/**
 * The folder that a server's program needs mounted, derived from one of its files. Pure but for the two questions in
 * `Surroundings`.
 *
 *   below a node_modules folder → the outermost such folder: a package finds its dependencies there
 *   else, the nearest folder with a package.json or a node_modules of its own
 *   else, or when that folder holds something private (a home, say) → the file alone
 */
import path from 'node:path'

const MODULES = 'node_modules'
const MARKS = ['package.json', MODULES]

export interface Surroundings {
  exists(path: string): boolean
  /** Whether a folder is private, or contains a private one. */
  isPrivate(path: string): boolean
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
  for (let folder = path.dirname(file); folder !== '/'; folder = path.dirname(folder)) {
    if (MARKS.some((mark) => around.exists(path.join(folder, mark)))) return folder
  }
  return undefined
}
