/**
 * A folder under construction, beside the finished ones: `.part-…`. A single rename makes it a finished one, or it is
 * deleted. Leftovers of a crash are swept when packages are opened; nothing else ever looks into them.
 */
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'

export const PART_PREFIX = '.part-'
const TAKEN = new Set<unknown>(['ENOTEMPTY', 'EEXIST'])
/** As root, Cordon runs npm as `nobody`, who must be able to write; the folders above keep every other user out. */
const WRITABLE_INSIDE = process.getuid?.() === 0 ? 0o777 : 0o700

export interface PartFolder extends AsyncDisposable {
  /** Holds the three folders below. */
  readonly folder: string
  /** Becomes the finished folder. */
  readonly tree: string
  /** For npm's cache and temporary files. */
  readonly cache: string
  /** Written by Cordon alone; sandboxes may read it. */
  readonly notes: string
  /** Renames the tree to `target`; durable on return. Does nothing if `target` exists already. */
  finish(target: string): Promise<void>
}

/** Disposing deletes the folder. */
export async function openPartFolder(root: string): Promise<PartFolder> {
  const folder = path.join(root, `${PART_PREFIX}${randomUUID()}`)
  const part = (name: string): string => path.join(folder, name)
  const [tree, cache, notes] = [part('tree'), part('cache'), part('notes')]
  await using made = new AsyncDisposableStack()
  await mkdir(folder, { recursive: true, mode: 0o700 })
  made.defer(() => removeFolder(folder))
  for (const writable of [tree, cache]) {
    await mkdir(writable)
    await chmod(writable, WRITABLE_INSIDE)
  }
  await mkdir(notes, { mode: 0o755 })
  const owned = made.move()
  return {
    folder,
    tree,
    cache,
    notes,
    async finish(target) {
      try {
        await rename(tree, target)
      } catch (error) {
        if (!TAKEN.has(codeOf(error))) throw error
      }
      await using folderItself = await open(root)
      await folderItself.sync()
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export async function sweepPartFolders(root: string): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  for (const name of await readdir(root)) {
    if (name.startsWith(PART_PREFIX)) await removeFolder(path.join(root, name))
  }
}

async function removeFolder(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 3 })
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined
}
