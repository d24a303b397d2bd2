/**
 * Writes a backup: one encrypted file, streamed, readable by its owner only. It has its name only once it is whole and on
 * disk; a file that has that name already is replaced only on request.
 */
import { randomBytes } from 'node:crypto'
import { lstat, open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { errnoOf, explainDiskError } from '../disk-error.ts'
import { syncFolder } from '../whole-file.ts'
import { type BackupLock, encryptStream } from './encrypt-stream.ts'
import { backupExists, noPlaceForBackup } from './backup-errors.ts'
import { type BackupSources, collectMembers } from './collect-members.ts'
import { type Member, packTar } from './pack-tar.ts'

export interface BackupRequest {
  /** Absolute. */
  readonly file: string
  readonly lock: BackupLock
  readonly force: boolean
  /** For tests: cheaper guesses at the passphrase. */
  readonly dangerouslyCheapWorkFactor?: number
}

export interface BackupReport {
  readonly file: string
  /** Of the file. */
  readonly bytes: number
  readonly members: number
  /** At most 100 names of files that a backup cannot hold. */
  readonly leftOut: readonly string[]
  readonly store: 'sqlite' | 'postgresql'
}

const MOST_LEFT_OUT = 100

/** `onBytes` is told how many bytes of the home were read since the last time. */
export async function writeBackup(
  sources: BackupSources,
  request: BackupRequest,
  onBytes: (bytes: number) => void,
  signal: AbortSignal,
): Promise<BackupReport> {
  const { file } = request
  if (!request.force) await refuseExisting(file)
  const part = join(dirname(file), `.${basename(file)}-${randomBytes(6).toString('hex')}.part`)
  const leftOut: string[] = []
  let members = 0
  const collect = async function* (): AsyncGenerator<Member> {
    const tell = (name: string): unknown => leftOut.length < MOST_LEFT_OUT && leftOut.push(name)
    for await (const member of collectMembers(sources, tell)) {
      members += 1
      yield member
      signal.throwIfAborted() // not before the member is read, which closes its file
    }
  }
  const plain = packTar(collect(), onBytes)
  try {
    const cipher = await encryptStream(request.lock, plain, request.dangerouslyCheapWorkFactor)
    const bytes = await writeAll(part, cipher, signal)
    if (!request.force) await refuseExisting(file)
    await rename(part, file)
    await syncFolder(dirname(file))
    return { file, bytes, members, leftOut, store: sources.manifest.store }
  } catch (error) {
    await rm(part, { force: true })
    throw explain(file, error)
  }
}

async function writeAll(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): Promise<number> {
  await using file = await open(path, 'wx', 0o600)
  let bytes = 0
  for await (const chunk of chunks) {
    signal.throwIfAborted()
    await file.writeFile(chunk)
    bytes += chunk.length
  }
  await file.sync()
  return bytes
}

async function refuseExisting(file: string): Promise<void> {
  const found = await lstat(file).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return undefined
    throw noPlaceForBackup(file, error)
  })
  if (found) throw backupExists(file)
}

function explain(file: string, error: unknown): unknown {
  const isPlace = ['ENOENT', 'ENOTDIR', 'EISDIR', 'EACCES', 'EPERM', 'EROFS', 'ENAMETOOLONG']
  const isOfPlace = isPlace.includes(errnoOf(error) ?? '') && mentions(error, dirname(file))
  return isOfPlace ? noPlaceForBackup(file, error) : explainDiskError(file, error)
}

/** Only an error about the folder of the backup: one about a file of the home is something else. */
function mentions(error: unknown, folder: string): boolean {
  return error instanceof Error && 'path' in error && String(error.path).startsWith(folder)
}
