/** A new folder for one attempt, which the servers of a root Cordon may write as well: they are not root. */
import { chmodSync, mkdirSync } from 'node:fs'
import path from 'node:path'

export function ownFolder(parent: string, name: string): string {
  const folder = path.join(parent, name)
  mkdirSync(folder)
  chmodSync(folder, 0o777)
  return folder
}
