/** The key of this home's value hashes: made once, never leaves the folder, and useless without the log. */
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { replaceFile } from './replace-file.ts'

const KEY_BYTES = 32

/** Reads the key. A missing or truncated key is replaced: only comparisons with old hashes are lost. */
export async function readHashKey(folder: string): Promise<Buffer> {
  const path = join(folder, 'hash-key')
  const key = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error
  })
  if (key?.length === KEY_BYTES) return key
  const fresh = randomBytes(KEY_BYTES)
  await replaceFile(path, fresh)
  return fresh
}
