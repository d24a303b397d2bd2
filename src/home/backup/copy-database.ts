/**
 * A copy of a SQLite file that other connections write to, as of one moment, write-ahead log included. The copy lies in
 * the home under a temporary name, which the next start removes if this process is killed.
 */
import { existsSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { backup, DatabaseSync } from 'node:sqlite'
import { writeTemporary } from '../whole-file.ts'

/** All pages in one step: SQLite begins again whenever another connection writes between two steps. */
const ALL_PAGES = 2 ** 31 - 1

/** Undefined if there is no such database. */
export async function copyDatabase(
  path: string,
  folder: string,
): Promise<({ readonly path: string } & AsyncDisposable) | undefined> {
  if (!existsSync(path)) return undefined
  const copy = await writeTemporary(folder, '')
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(copy, { force: true }))
  using source = new DatabaseSync(path, { timeout: 5000, readOnly: true })
  await backup(source, copy, { rate: ALL_PAGES })
  const owned = stack.move() // from here on the caller removes it
  return { path: copy, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
