/**
 * Reads the secret behind a `file:` reference, at the moment of use. Only a regular file of at most 64 KiB, never one of
 * Cordon's home, and never behind a link that a server could have planted; a device or a pipe is refused without reading
 * from it.
 */
import { constants } from 'node:fs'
import { type FileHandle, open, realpath } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { CordonError } from '../kernel/error.ts'
import type { Log } from '../kernel/ports.ts'
import type { PinnedPath, PinPath } from '../ports/pinned-path-port.ts'
import { trimBytes } from './trim-bytes.ts'

const MOST_BYTES = 65_536

export interface SecretFilePlaces {
  readonly homeFolder: string
  readonly vaultFolder: string
  readonly cordonHome: string
  /** The folders that a server may write. */
  readonly writableFolders: () => readonly string[]
  readonly pinPath: PinPath
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

/** Opens the file if it is a regular file outside Cordon's home; reads nothing. */
export async function openSecretFile(path: string, places: SecretFilePlaces): Promise<FileHandle> {
  const { O_RDONLY, O_NONBLOCK } = constants
  const full = path.startsWith('~/') ? join(places.homeFolder, path.slice(2)) : path
  try {
    using pin = places.pinPath(full)
    await refuseUnsafe(path, pin, places)
    await using stack = new AsyncDisposableStack()
    const file = stack.use(await open(pin.heldAt, O_RDONLY | O_NONBLOCK))
    if (!(await file.stat()).isFile()) throw refused(path, 'it is not a plain file')
    stack.move() // The caller closes the file.
    return file
  } catch (error) {
    if (error instanceof CordonError) throw error
    throw refused(path, 'it cannot be opened', error)
  }
}

async function refuseUnsafe(
  path: string,
  pin: PinnedPath,
  { vaultFolder, cordonHome, writableFolders }: SecretFilePlaces,
): Promise<void> {
  if (isInside(await realOr(vaultFolder), pin.path)) throw refused(path, 'it belongs to the vault')
  if (isInside(await realOr(cordonHome), pin.path)) throw refused(path, "it lies in Cordon's home")
  if (pin.linkFolders.length === 0) return
  const writable = await Promise.all(writableFolders().map(realOr))
  const isPlanted = (folder: string): boolean => writable.some((one) => isInside(one, folder))
  if (pin.linkFolders.some(isPlanted)) {
    throw refused(path, 'a link in a folder that a server may write leads to it')
  }
}

async function realOr(folder: string): Promise<string> {
  return await realpath(folder).catch(() => folder)
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
