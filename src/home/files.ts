/**
 * The `Files` port: whole files by absolute path, one change at a time per path.
 * Never interprets what it writes.
 */
import { closeSync, fstatSync, open, readFile, readFileSync } from 'node:fs'
import { readdir, rm, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import type { SharedFiles } from '../ports/shared-files-port.ts'
import { errnoOf, explainDiskError } from './disk-error.ts'
import { isTemporary, syncFolder, writeWholeFile } from './whole-file.ts'

const opening = promisify(open)
const reading = promisify(readFile)

export interface HomeFiles extends SharedFiles {
  /** Waits for all pending changes, and refuses any further change. */
  close(): Promise<void>
}

export function createFiles(): HomeFiles {
  const tails = new Map<string, Promise<unknown>>()
  let closed = false

  /** Runs after every earlier change of the same path, whether the earlier ones succeeded or failed. */
  async function serially<T>(path: string, change: () => Promise<T>): Promise<T> {
    if (closed) throw new Error('The home is closed: another process may be its writer now')
    const turn = Promise.resolve(tails.get(path)).then(change)
    const tail = turn.catch(() => undefined)
    tails.set(path, tail)
    try {
      return await turn
    } catch (error) {
      throw explainDiskError(path, error)
    } finally {
      if (tails.get(path) === tail) tails.delete(path)
    }
  }

  return {
    read: (path) => orNothing(readWhole(path)),
    async list(folder) {
      const entries = (await orNothing(readdir(folder, { withFileTypes: true }))) ?? []
      const files = entries.filter((entry) => entry.isFile() && !isTemporary(entry.name))
      return files.map((entry) => entry.name).sort()
    },
    async write(path, content, mode) {
      await serially(path, () => writeWholeFile(path, content, mode))
    },
    replace: (path, content, mode, isStill) =>
      serially(path, () => writeWholeFile(path, content, mode, isStill)),
    remove: (path) => serially(path, () => removeFile(path)),
    async close() {
      closed = true
      await Promise.all(tails.values())
    },
  }
}

/**
 * Removes temporary files that a killed process left behind, down to `depth` folders below. Only for the holder of the
 * lock: no other process can be writing then.
 */
export async function sweepTemporaries(folder: string, depth: number): Promise<void> {
  for (const entry of await readdir(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    if (entry.isFile() && isTemporary(entry.name)) await rm(path, { force: true })
    if (entry.isDirectory() && depth > 0) await sweepTemporaries(path, depth - 1)
  }
}

/** A file of this size is read and closed synchronously: a turn of the thread pool takes longer than either. */
const SMALL_BYTES = 64 * 1024

async function readWhole(path: string): Promise<Buffer> {
  const descriptor = await opening(path, 'r')
  try {
    const isSmall = fstatSync(descriptor).size <= SMALL_BYTES
    return isSmall ? readFileSync(descriptor) : await reading(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

async function removeFile(path: string): Promise<void> {
  try {
    await unlink(path)
  } catch (error) {
    if (isAbsence(error)) return
    throw error
  }
  await syncFolder(dirname(path))
}

async function orNothing<T>(reading: Promise<T>): Promise<T | undefined> {
  try {
    return await reading
  } catch (error) {
    if (isAbsence(error)) return undefined
    throw error
  }
}

function isAbsence(error: unknown): boolean {
  const errno = errnoOf(error)
  return errno === 'ENOENT' || errno === 'ENOTDIR'
}
