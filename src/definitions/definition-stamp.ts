/**
 * Says whether anybody edited the files of a server: another text after every edit. Synchronous, since every call asks:
 * a look into the cache of the file system takes microseconds, a turn of the thread pool far longer.
 */
import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import type { ServerId } from '../kernel/server-id.ts'

export function definitionStamp(folders: readonly string[], server: ServerId): string {
  return folders.map((folder) => stampOf(join(folder, `${server}.toml`))).join(' ')
}

function stampOf(path: string): string {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false })
    return found ? `${found.ino} ${found.size} ${found.mtimeMs} ${found.ctimeMs}` : 'none'
  } catch {
    return 'unreadable'
  }
}
