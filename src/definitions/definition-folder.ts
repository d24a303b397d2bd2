/**
 * Reads the `*.toml` files of one folder, each once, and hashes exactly the bytes that were read. Follows no symbolic
 * link and reads no file above the size limit: both are reported and never used.
 */
import { createHash } from 'node:crypto'
import { closeSync, constants, fstatSync, open, readSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

const opening = promisify(open)

const MAX_BYTES = 256 * 1024
const MAX_FILES = 256

export interface DefinitionFile {
  readonly name: string
  readonly path: string
  /** The bytes, or what is wrong with the file. */
  readonly content: Buffer | string
}

/** Sorted by name. Hidden files are skipped: editors keep their swap and backup files under such names. */
export async function readDefinitionFolder(folder: string): Promise<readonly DefinitionFile[]> {
  const names = await namesIn(folder)
  const chosen = names.filter((name) => name.endsWith('.toml') && !name.startsWith('.')).sort()
  const files: DefinitionFile[] = []
  for (const name of chosen) {
    const path = join(folder, name)
    const content =
      files.length < MAX_FILES
        ? await readPlainFile(path)
        : `expected at most ${MAX_FILES} definitions in a folder`
    files.push({ name, path, content: content ?? 'expected a file; it is gone' })
  }
  return files
}

/** The bytes of a regular file within the size limit, a message if it is not one, or undefined if it does not exist. */
export async function readPlainFile(path: string): Promise<Buffer | string | undefined> {
  try {
    // O_NONBLOCK: opening a named pipe would otherwise wait for a writer and block the load.
    const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK
    return readOpened(await opening(path, flags))
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return undefined
    if (isErrno(error, 'ELOOP')) return 'expected a plain file, not a symbolic link'
    return 'expected a plain file that Cordon may read'
  }
}

/** Synchronous: for a file this small, a turn of the thread pool takes longer than each of these steps. */
function readOpened(descriptor: number): Buffer | string {
  try {
    const stats = fstatSync(descriptor)
    if (!stats.isFile()) return 'expected a plain file'
    if (stats.size > MAX_BYTES) return `expected at most ${MAX_BYTES / 1024} KiB`
    const buffer = Buffer.alloc(stats.size)
    return buffer.subarray(0, readSync(descriptor, buffer, 0, stats.size, 0))
  } finally {
    closeSync(descriptor)
  }
}

/** The text of a file, or what is wrong with it. */
export function readDefinitionText({
  content,
}: Pick<DefinitionFile, 'content'>): string | { readonly message: string } {
  if (typeof content === 'string') return { message: content }
  return decodeUtf8(content) ?? { message: 'expected UTF-8 text' }
}

export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

export function hashBytes(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex')
}

/** One hash over all readable files. Names and bytes are length-prefixed, so no two sets of files hash alike. */
export function hashFiles(files: readonly DefinitionFile[]): string {
  const hash = createHash('sha256')
  const parts = files.flatMap(({ name, content }) =>
    typeof content === 'string' ? [] : [Buffer.from(name), content],
  )
  for (const part of parts) {
    const length = Buffer.alloc(8)
    length.writeBigUInt64BE(BigInt(part.length))
    hash.update(length).update(part)
  }
  return hash.digest('hex')
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isErrno(error, 'ENOENT', 'ENOTDIR')) return []
    throw error
  }
}

function isErrno(error: unknown, ...codes: readonly string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code))
}
