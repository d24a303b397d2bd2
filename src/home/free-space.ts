/** The free space on the disk of a path, also of one that does not exist yet. */
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoOf } from './disk-error.ts'

/** With less, a home is not opened: better no start than a full disk in the middle of a write. */
export const MIN_FREE_BYTES: number = 64 * 1024 * 1024

/** Bytes that an ordinary user can still write. For a missing path, the disk of the nearest existing parent counts. */
export async function freeBytes(path: string): Promise<number> {
  try {
    const { bavail, bsize } = await statfs(path)
    return bavail * bsize
  } catch (error) {
    const missing = ['ENOENT', 'ENOTDIR'].includes(errnoOf(error) ?? '')
    if (!missing || dirname(path) === path) throw error
    return await freeBytes(dirname(path))
  }
}
