/**
 * The files of a folder at install time, and the check against them. File facts (lstat) are compared first; only if
 * they differ, every file is read and hashed again.
 */
import { lstatSync, readdirSync } from 'node:fs'
import { setImmediate as turn } from 'node:timers/promises'
import { z } from 'zod'
import { describeTree, type TreeEntry } from './tree.ts'

/** As `spell-manifest.ts` writes it. */
const Row = z.tuple([
  z.string(), // path
  z.int(), // mode
  z.int(), // size
  z.string(), // SHA-512
  z.number(), // ctimeMs
  z.number(), // mtimeMs
  z.number(), // inode
])
const Manifest = z.object({ format: z.literal(1), entries: z.array(Row) })

export function parseManifest(text: string): readonly TreeEntry[] {
  const { entries } = Manifest.parse(JSON.parse(text))
  return entries.map(([path, mode, size, sha512, ctimeMs, mtimeMs, inode]) => {
    return { path, mode, size, sha512, ctimeMs, mtimeMs, inode }
  })
}

/** Files checked before the event loop gets a turn, for checks of other packages. */
const BATCH = 1024

/** Compares file facts only. A new file changes the times of its folder. */
export async function looksUntouched(
  folder: string,
  entries: readonly TreeEntry[],
): Promise<boolean> {
  for (let at = 0; at < entries.length; at += BATCH) {
    const some = entries.slice(at, at + BATCH)
    if (!some.every((entry) => hasSameFacts(folder, entry))) return false
    await turn()
  }
  return true
}

function hasSameFacts(folder: string, entry: TreeEntry): boolean {
  const found = lstatSync(`${folder}/${entry.path}`, { throwIfNoEntry: false })
  return (
    found !== undefined &&
    found.ctimeMs === entry.ctimeMs &&
    found.mtimeMs === entry.mtimeMs &&
    found.ino === entry.inode &&
    (found.isDirectory() || found.size === entry.size)
  )
}

/** The first difference, for people; undefined if every byte is the same. */
export function firstDifference(
  before: readonly TreeEntry[],
  now: readonly TreeEntry[],
): string | undefined {
  const known = new Map(before.map((entry) => [entry.path, entry]))
  for (const entry of now) {
    const old = known.get(entry.path)
    if (!old) return `${JSON.stringify(entry.path)} was added`
    if (old.sha512 !== entry.sha512) return `${JSON.stringify(entry.path)} was changed`
    if (old.mode !== entry.mode)
      return `the permissions of ${JSON.stringify(entry.path)} were changed`
    known.delete(entry.path)
  }
  const [missing] = known.keys()
  return missing === undefined ? undefined : `${JSON.stringify(missing)} was removed`
}

/** Throws an ordinary error if a file cannot be read. */
export async function describeAgain(
  folder: string,
  own: readonly string[],
): Promise<readonly TreeEntry[]> {
  const names = readdirSync(folder).filter((name) => !own.includes(name))
  return await describeTree(folder, names)
}
