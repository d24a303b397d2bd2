/**
 * The installed packages as folders: what lies there, how large, and how one is removed. A folder is renamed before it is
 * deleted, so that after a crash it is whole or a leftover that is swept; it is never found half deleted.
 */
import { randomUUID } from 'node:crypto'
import { readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import { folderBytes } from './folder-bytes.ts'
import { PART_PREFIX } from './part-folder.ts'
import { readReceipt } from './receipt.ts'

export interface StoredPackage {
  /** The name of its folder: `notion@2.5.2`. */
  readonly name: string
  /** Absent: the folder has no receipt that can be read, so no server starts from it. */
  readonly package?: string
  readonly bytes: number
}

/** Sorted by name. Folders under construction are not among them. */
export async function listStored(root: string): Promise<readonly StoredPackage[]> {
  const stored = (await listNames(root)).map(async (name) => {
    const folder = path.join(root, name)
    const receipt = await readReceipt(folder).catch(() => undefined)
    if (!receipt) return { name, bytes: await folderBytes(folder).catch(() => 0) }
    const { package: of, version, bytes } = receipt
    return { name, package: `${of}@${version}`, bytes }
  })
  return (await Promise.all(stored)).sort((a, b) => a.name.localeCompare(b.name))
}

/** False if there is no such folder. */
export async function removeStored(root: string, name: string): Promise<boolean> {
  const isThere = (await listNames(root)).includes(name) // a name from outside is compared, never joined
  if (!isThere) return false
  const leftover = path.join(root, `${PART_PREFIX}${randomUUID()}`)
  await rename(path.join(root, name), leftover)
  await rm(leftover, { recursive: true, force: true, maxRetries: 3 })
  return true
}

async function listNames(root: string): Promise<readonly string[]> {
  const entries = await readdir(root, { withFileTypes: true })
  return entries
    .filter((one) => one.isDirectory() && !one.name.startsWith('.'))
    .map(({ name }) => name)
}
