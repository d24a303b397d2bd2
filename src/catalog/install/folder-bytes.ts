/** The size of all plain files below a folder. Links are not followed. */
import { lstat, readdir } from 'node:fs/promises'
import path from 'node:path'

export async function folderBytes(folder: string): Promise<number> {
  let bytes = 0
  for (const entry of await readdir(folder, { withFileTypes: true, recursive: true })) {
    if (entry.isFile()) bytes += (await lstat(path.join(entry.parentPath, entry.name))).size
  }
  return bytes
}
