/**
 * Restores a backup into a home that is empty, or in place of another, which is kept beside it. The new home is built in
 * a folder of its own, checked, and takes its name in one step: whatever happens before that, nothing has changed.
 */
import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { open, readdir, readFile, realpath, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { errnoOf, explainDiskError, homeFull } from '../disk-error.ts'
import { guardFolder } from '../folder-guard.ts'
import { freeBytes, MIN_FREE_BYTES } from '../free-space.ts'
import { type HomePaths, homePaths } from '../home-paths.ts'
import { takeLock } from '../take-lock.ts'
import { makeFolder, syncFolder, writeWholeFile } from '../whole-file.ts'
import { type BackupKey, decryptStream, keyWanted } from './encrypt-stream.ts'
import {
  homeOccupied,
  identityNeeded,
  memberRefused,
  notABackup,
  unreadableBackup,
} from './backup-errors.ts'
import { type BackupManifest, parseManifest } from './backup-manifest.ts'
import { MANIFEST, mostBytesOf } from './most-bytes-of.ts'
import { RESTORED } from './once-restored.ts'
import { type MemberHead, unpackTar } from './unpack-tar.ts'

export interface RestoreRequest {
  readonly file: string
  readonly home: string
  readonly replace: boolean
  /** Asked for once it is known what opens the file; nothing was written by then. */
  readonly key: (wanted: 'passphrase' | 'identity') => Promise<BackupKey | undefined>
}

export interface RestoreHooks<Checked> {
  /** Looks at the new home before it takes its name; throwing refuses it. */
  check(paths: HomePaths, manifest: BackupManifest): Promise<Checked>
  /** How many bytes of the file were read since the last time. */
  readonly onBytes: (bytes: number) => void
}

export interface RestoreReport<Checked> {
  readonly home: string
  readonly manifest: BackupManifest
  readonly members: number
  /** The path at which the earlier home is kept. */
  readonly aside?: string
  readonly checked: Checked
}

export async function restoreHome<Checked>(
  request: RestoreRequest,
  hooks: RestoreHooks<Checked>,
  signal: AbortSignal,
): Promise<RestoreReport<Checked>> {
  const home = await realpath(request.home).catch(() => resolve(request.home))
  try {
    return await restore({ ...request, home }, hooks, signal)
  } catch (error) {
    throw explainDiskError(home, error)
  }
}

async function restore<Checked>(
  request: RestoreRequest,
  hooks: RestoreHooks<Checked>,
  signal: AbortSignal,
): Promise<RestoreReport<Checked>> {
  const { home, replace } = request
  const isOccupied = await isHome(home)
  if (isOccupied && !replace) throw homeOccupied(home)
  using _lock = isOccupied ? await lockHome(home) : undefined
  const plain = await openBackup(request, hooks)
  const building = `${home}.restoring-${process.pid}-${randomBytes(4).toString('hex')}`
  try {
    await removeAbandoned(home)
    await makeFolder(building)
    const { manifest, members } = await unpack(plain, building, signal)
    const checked = await hooks.check(homePaths(building), manifest)
    if (manifest.store === 'sqlite') await writeWholeFile(join(building, RESTORED), manifest.madeAt)
    signal.throwIfAborted()
    const aside = isOccupied ? `${home}-before-restore-${stamp()}` : undefined
    // Between these two, a power cut leaves both homes whole under other names; nothing is lost.
    if (aside !== undefined) await rename(home, aside)
    await rename(building, home)
    await syncFolder(dirname(home))
    return { home, manifest, members, checked, ...(aside !== undefined && { aside }) }
  } catch (error) {
    await rm(building, { recursive: true, force: true })
    throw error
  }
}

/** A folder that does not exist, or is empty, holds no home. */
async function isHome(home: string): Promise<boolean> {
  const names = await readdir(home).catch((error: unknown) => {
    if (errnoOf(error) === 'ENOENT') return []
    throw error
  })
  return names.length > 0
}

/** Refused while a kernel runs there: it would go on writing to the home that was put aside. */
async function lockHome(home: string): Promise<Disposable> {
  await guardFolder(home)
  const paths = homePaths(home)
  await makeFolder(paths.run)
  return await takeLock(paths)
}

async function openBackup<Checked>(
  { file, key }: RestoreRequest,
  { onBytes }: RestoreHooks<Checked>,
): Promise<AsyncIterable<Uint8Array>> {
  const wanted = keyWanted(await firstBytes(file))
  if (!wanted) throw notABackup()
  const given = await key(wanted)
  if (!given) throw identityNeeded()
  return await decryptStream(given, counted(file, onBytes))
}

async function firstBytes(file: string): Promise<Uint8Array> {
  try {
    await using handle = await open(file, 'r')
    if (!(await handle.stat()).isFile()) throw new Error('not a plain file')
    const { bytesRead, buffer } = await handle.read(Buffer.alloc(64), 0, 64, 0)
    return buffer.subarray(0, bytesRead)
  } catch (error) {
    throw unreadableBackup(file, error)
  }
}

async function* counted(
  file: string,
  onBytes: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  for await (const chunk of createReadStream(file) as AsyncIterable<Buffer>) {
    onBytes(chunk.length)
    yield new Uint8Array(chunk)
  }
}

async function unpack(
  plain: AsyncIterable<Uint8Array>,
  building: string,
  signal: AbortSignal,
): Promise<{ readonly manifest: BackupManifest; readonly members: number }> {
  let manifest: BackupManifest | undefined
  let members = 0
  await unpackTar(plain, async (head, body) => {
    signal.throwIfAborted()
    if (!manifest && head.name !== MANIFEST) throw notABackup()
    await refuseUnfit(head, building)
    const path = join(building, head.name)
    await writeMember(path, body)
    manifest ??= parseManifest(await readFile(path))
    members += 1
  })
  if (!manifest) throw notABackup()
  await rm(join(building, MANIFEST))
  return { manifest, members }
}

async function refuseUnfit({ name, bytes }: MemberHead, building: string): Promise<void> {
  const most = mostBytesOf(name)
  if (most === undefined || bytes > most) throw memberRefused()
  if ((await freeBytes(building)) - bytes < MIN_FREE_BYTES) throw homeFull(building)
}

/** `wx`: a name that comes twice, in whichever spelling, is refused. */
async function writeMember(path: string, body: AsyncIterable<Uint8Array>): Promise<void> {
  await makeFolder(dirname(path))
  try {
    await using file = await open(path, 'wx', 0o600)
    for await (const chunk of body) await file.writeFile(chunk)
    await file.sync()
  } catch (error) {
    throw errnoOf(error) === 'EEXIST' ? memberRefused() : error
  }
}

/** Removes folders of killed restores: one may hold the key of a vault. */
async function removeAbandoned(home: string): Promise<void> {
  const parent = dirname(home)
  const prefix = `${basename(home)}.restoring-`
  for (const name of await readdir(parent).catch(() => [])) {
    const pid = name.startsWith(prefix) ? Number(name.slice(prefix.length).split('-')[0]) : 0
    if (pid > 0 && !isAlive(pid)) await rm(join(parent, name), { recursive: true, force: true })
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return errnoOf(error) === 'EPERM'
  }
}

function stamp(): string {
  return new Date().toISOString().replaceAll(/[:.]/g, '-')
}
