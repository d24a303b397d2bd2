/**
 * Atomic replacement of one file: temporary file beside it, fsync, rename, fsync of the folder. After a crash the name
 * leads to the old bytes or to the new ones. Never writes through a symbolic link at that name.
 */
import { randomBytes } from 'node:crypto'
import { mkdir, open, rename, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { errnoOf } from './disk-error.ts'

const TEMPORARY = /^\.cordon-[0-9a-f]{16}\.tmp$/

/** True for the names of temporary files, which are not complete yet. */
export function isTemporary(name: string): boolean {
  return TEMPORARY.test(name)
}

/** False, with nothing changed, if `mayTakeName` says no once the new bytes are on disk. */
export async function writeWholeFile(
  path: string,
  content: string | Uint8Array,
  mode?: number,
  mayTakeName: () => Promise<boolean> = async () => true,
): Promise<boolean> {
  const folder = dirname(path)
  const temporary = await writeTemporary(folder, content, mode).catch(async (error: unknown) => {
    if (errnoOf(error) !== 'ENOENT') throw error
    await makeFolder(folder)
    return await writeTemporary(folder, content, mode)
  })
  const isRenamed = await takeName(temporary, path, mayTakeName)
  if (isRenamed) await syncFolder(folder)
  return isRenamed
}

async function takeName(
  temporary: string,
  path: string,
  mayTakeName: () => Promise<boolean>,
): Promise<boolean> {
  let isRenamed = false
  try {
    if (await mayTakeName()) {
      await rename(temporary, path)
      isRenamed = true
    }
    return isRenamed
  } finally {
    if (!isRenamed) await rm(temporary, { force: true })
  }
}

/** A new file with this content, on disk, under a temporary name. Leaves nothing behind on failure. */
export async function writeTemporary(
  folder: string,
  content: string | Uint8Array,
  mode?: number,
): Promise<string> {
  const path = join(folder, `.cordon-${randomBytes(8).toString('hex')}.tmp`)
  try {
    await using file = await open(path, 'wx', 0o600)
    await file.writeFile(content)
    if (mode !== undefined) await file.chmod(mode)
    await file.sync()
    return path
  } catch (error) {
    await rm(path, { force: true })
    throw error
  }
}

/** Creates the folder and its missing parents (0700), durably. Not `recursive`: that hides a read-only disk as ENOENT. */
export async function makeFolder(path: string): Promise<void> {
  const parent = dirname(path)
  const created = await createFolder(path).catch(async (error: unknown) => {
    if (errnoOf(error) !== 'ENOENT' || parent === path) throw error
    await makeFolder(parent)
    return await createFolder(path)
  })
  if (created) await syncFolder(parent)
}

/** False if the name is taken already. */
async function createFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path, 0o700)
    return true
  } catch (error) {
    if (errnoOf(error) === 'EEXIST') return false
    throw error
  }
}

export async function syncFolder(path: string): Promise<void> {
  await using folder = await open(path, 'r')
  await folder.sync()
}
