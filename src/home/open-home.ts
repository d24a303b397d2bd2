/**
 * Opens the home folder: free space, folders, permissions, a trial write, the lock, then the files. Each step refuses
 * before the next one changes anything. Never interprets what the home holds.
 */
import { realpath, rm } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { SharedFiles } from '../ports/shared-files-port.ts'
import type { PinPath } from '../ports/pinned-path-port.ts'
import { errnoOf, explainDiskError, homeFull } from './disk-error.ts'
import { createFiles, sweepTemporaries } from './files.ts'
import { folderRefused, guardFolder } from './folder-guard.ts'
import { freeBytes, MIN_FREE_BYTES } from './free-space.ts'
import { HOME_FOLDERS, type HomePaths, homePaths } from './home-paths.ts'
import { pinPath } from './pin-path.ts'
import { takeLock } from './take-lock.ts'
import { makeFolder, writeTemporary } from './whole-file.ts'

/** `packages/<slug>@<version>/` is the deepest folder in which Cordon writes files of its own. */
const SWEEP_DEPTH = 2

export interface Home extends AsyncDisposable {
  /** Absolute, symbolic links resolved. */
  readonly path: string
  readonly paths: HomePaths
  readonly files: SharedFiles
  readonly pinPath: PinPath
}

export async function openHome(
  path: string,
  options: { readonly minFreeBytes?: number } = {},
): Promise<Home> {
  try {
    return await open(resolve(path), options.minFreeBytes ?? MIN_FREE_BYTES)
  } catch (error) {
    throw explainDiskError(path, error)
  }
}

async function open(path: string, minFreeBytes: number): Promise<Home> {
  if ((await freeBytes(path)) < minFreeBytes) throw homeFull(path)
  const paths = homePaths(await makeHome(path))
  await makeFolders(paths)
  await rm(await writeTemporary(paths.run, 'Can this disk be written to?\n'), { force: true })

  using stack = new DisposableStack()
  stack.use(await takeLock(paths))
  await sweepTemporaries(paths.home, SWEEP_DEPTH)
  const files = createFiles()
  const owned = stack.move() // from here on the caller owns the lock
  return {
    path: paths.home,
    paths,
    files,
    pinPath,
    async [Symbol.asyncDispose]() {
      await files.close()
      owned.dispose()
    },
  }
}

async function makeHome(path: string): Promise<string> {
  try {
    await makeFolder(path)
    return await realpath(path)
  } catch (error) {
    if (!['EEXIST', 'ENOTDIR', 'ENOENT', 'ELOOP'].includes(errnoOf(error) ?? '')) throw error
    throw folderRefused(path, 'not-a-folder', error)
  }
}

async function makeFolders(paths: HomePaths): Promise<void> {
  await guardFolder(paths.home)
  for (const name of HOME_FOLDERS) {
    await makeFolder(paths[name])
    await guardFolder(paths[name])
  }
}
