/** Atomically replaces a small file: after a crash it holds its old or its new bytes, and it is on disk on return. */
import { open, rename } from 'node:fs/promises'
import { dirname } from 'node:path'

export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  const draft = `${path}.new`
  {
    await using file = await open(draft, 'w', 0o600)
    await file.writeFile(content)
    await file.sync()
  }
  await rename(draft, path)
  await syncFolder(dirname(path))
}

/** Syncs a folder: without it a created, renamed or removed name may be lost in a crash. */
export async function syncFolder(folder: string): Promise<void> {
  await using handle = await open(folder, 'r')
  await handle.sync()
}
