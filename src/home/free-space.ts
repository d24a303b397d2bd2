/** How much room is left where a path is, or will be. */
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { errnoOf } from './disk-error.ts'

/** Below this, a home is not opened: better no start than a stop in the middle of something. */
export const MIN_FREE_BYTES: number = 64 * 1024 * 1024

/** Bytes an ordinary user can still write. Asks the nearest parent where `path` does not exist yet. */
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
