/**
 * Reads the secret behind a `file:` reference, at the moment of use. Only a regular file of at most 64 KiB, never one
 * of the vault's own; a device or a pipe is refused without reading from it.
 */
import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { CordonError } from '../kernel/error.ts'
import type { Log } from '../kernel/ports.ts'
import { trimBytes } from './trim-bytes.ts'

const MOST_BYTES = 65_536

export interface SecretFilePlaces {
  readonly homeFolder: string
  readonly vaultFolder: string
  readonly log: Log
}

/** The content without surrounding white space, which editors like to add. The caller wipes the result. */
export async function readSecretFile(path: string, places: SecretFilePlaces): Promise<Buffer> {
  await using file = await openSecretFile(path, places)
  const { mode } = await file.stat()
  if ((mode & 0o044) !== 0) {
    places.log.warn('Others on this machine can read a secret file', { path })
  }
  const bytes = Buffer.alloc(MOST_BYTES + 1)
  let length = 0
  for (let read = -1; read !== 0 && length < bytes.length; ) {
    read = (await file.read(bytes, length, bytes.length - length, length)).bytesRead
    length += read
  }
  const value = Buffer.from(trimBytes(bytes.subarray(0, length)))
  bytes.fill(0)
  if (length <= MOST_BYTES && value.length > 0) return value
  value.fill(0)
  throw refused(path, length > MOST_BYTES ? 'it is larger than 64 KiB' : 'it is empty')
}

/** Opens the file if it is a regular file outside the vault; reads nothing. */
export async function openSecretFile(path: string, places: SecretFilePlaces): Promise<FileHandle> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants
  const full = path.startsWith('~/') ? join(places.homeFolder, path.slice(2)) : path
  const vaultFolder = await realpath(places.vaultFolder).catch(() => places.vaultFolder)
  try {
    const real = await realpath(full)
    if (isInside(vaultFolder, real)) throw refused(path, 'it belongs to the vault')
    await using stack = new AsyncDisposableStack()
    const file = stack.use(await open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK))
    if (!(await file.stat()).isFile()) throw refused(path, 'it is not a plain file')
    stack.move() // The caller closes the file.
    return file
  } catch (error) {
    if (error instanceof CordonError) throw error
    throw refused(path, 'it cannot be opened', error)
  }
}

function isInside(folder: string, path: string): boolean {
  const way = relative(folder, path)
  return way === '' || !(way === '..' || way.startsWith('../'))
}

function refused(path: string, why: string, cause?: unknown): CordonError {
  return new CordonError(
    'vault.file',
    {
      exit: 5,
      hint: `Put the secret alone into ${JSON.stringify(path)} and run \`chmod 600\` on it`,
    },
    `Cannot lend the secret in file ${JSON.stringify(path)}: ${why}`,
    cause,
  )
}
