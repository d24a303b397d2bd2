/**
 * Checks the owner and permissions of a folder. A folder that other users could write to is refused; one that they
 * could only read is made private. Never loosens a permission.
 */
import { chmod, stat } from 'node:fs/promises'
import { CordonError } from '../kernel/error.ts'

export type FolderState = 'private' | 'readable' | 'writable' | 'foreign' | 'not-a-folder'

export async function folderState(path: string): Promise<FolderState> {
  const found = await stat(path)
  if (!found.isDirectory()) return 'not-a-folder'
  const self = process.geteuid?.()
  if (self !== undefined && found.uid !== self) return 'foreign'
  if ((found.mode & 0o022) !== 0) return 'writable'
  return (found.mode & 0o077) === 0 ? 'private' : 'readable'
}

export async function guardFolder(path: string): Promise<void> {
  const state = await folderState(path)
  if (state === 'private') return
  if (state === 'readable') return await chmod(path, 0o700)
  throw folderRefused(path, state)
}

export function folderRefused(
  path: string,
  state: 'writable' | 'foreign' | 'not-a-folder',
  cause?: unknown,
): CordonError {
  const reason = {
    writable: 'other users can write to it',
    foreign: 'it belongs to another user',
    'not-a-folder': 'it is not a folder',
  }[state]
  const hint =
    state === 'writable'
      ? 'Look for what others may have put there, then run `chmod -R go-rwx` on it'
      : 'Point CORDON_HOME at a folder of your own'
  return new CordonError(
    'home.untrusted',
    { exit: 3, hint },
    `Cannot use ${JSON.stringify(path)}: ${reason}`,
    cause,
  )
}
