/**
 * Moves the folder of a vault beside itself, whole and in one step, so that a new vault can be made. Deletes nothing: the
 * old one opens again with its passphrase once its folder is moved back.
 */
import { open, rename } from 'node:fs/promises'
import path from 'node:path'

/** The new path of the folder: `…/vault-set-aside-2026-11-16T15-40-00-000Z`. */
export async function setAsideFolder(folder: string, now: number): Promise<string> {
  const stamp = new Date(now).toISOString().replaceAll(/[:.]/g, '-')
  const aside = `${folder}-set-aside-${stamp}`
  await rename(folder, aside)
  await using parent = await open(path.dirname(folder))
  await parent.sync()
  return aside
}
