/**
 * Folders of an installed package in which its server may make files: that of the package and that of its program, where
 * servers keep logs and data beside their own files. The folder becomes a small tmpfs with the installed files mounted
 * read-only in it, so nothing installed can change, and what the server makes is gone when it stops. Only looks.
 */
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { isWithin } from './private-places.ts'

export interface Beside {
  /** The mounted folder that holds it. */
  readonly root: string
  readonly folder: string
  /** Everything that is in it. */
  readonly names: readonly string[]
}

const MODULES = 'node_modules'
/** Each name costs a mount at the start, and a folder with more is a library and no place for logs. */
const MOST_NAMES = 40

/** `packages`: the folder of installed packages; a program elsewhere gets nothing. */
export function besideProgram(script: string, packages: string): readonly Beside[] {
  if (!isWithin(script, packages)) return []
  const [before = '', inside] = script.split(`/${MODULES}/`, 2)
  const name = /^(?:@[^/]+\/)?[^/]+(?=\/)/.exec(inside ?? '')?.[0]
  if (name === undefined) return []
  const root = path.join(before, MODULES)
  const own = path.join(root, name)
  const folders = [...new Set([own, path.dirname(script)])]
  const found = folders.map((folder) => ({ root, folder, names: readdirSync(folder) }))
  return found.filter(({ names }) => names.length <= MOST_NAMES)
}
