/**
 * No sandboxed process is ever the host's root: a Cordon that is root starts bubblewrap as an unprivileged user. If
 * that user cannot reach a folder (below /root, say), a program first binds the folder at a path that the user can
 * reach, in a mount namespace of its own, and does nothing else.
 */
import { statSync } from 'node:fs'
import path from 'node:path'
import type { HostTools } from './host-tools.ts'
import type { Mount } from '../plan/mount.ts'
import { pathRefused } from '../sandbox-errors.ts'
import { showFolders } from './show-folders.ts'

export interface User {
  readonly uid: number
  readonly gid: number
}

/** How to run bubblewrap: the command line before its own arguments, its user, and the mounts as the user sees them. */
export interface Calling {
  readonly words: readonly string[]
  readonly identity: User | undefined
  readonly mounts: readonly Mount[]
}

export const NOBODY: User = { uid: 65534, gid: 65534 }

/** User that sandboxed processes run as when Cordon is root; undefined: Cordon's own user, who is not root. */
export function sandboxUser(chosen: User = NOBODY): User | undefined {
  return process.getuid?.() === 0 ? chosen : undefined
}

const READ = 4
const WRITE = 2
const WALK = 1

/** An empty folder on every Debian. Only in the namespace of one launch does a tmpfs cover it. */
const SHOWN_AT = '/mnt'

/** `user` is undefined when Cordon itself is not root. */
export function planCalling(
  tools: HostTools,
  user: User | undefined,
  mounts: readonly Mount[],
): Calling {
  if (user === undefined) return { words: [tools.bubblewrap], identity: undefined, mounts }
  for (const mount of mounts) checkAccess(mount, user)
  if (mounts.every((mount) => isReachable(mount.source, user))) {
    return { words: [tools.bubblewrap], identity: user, mounts }
  }
  const shown = mounts.map((mount, index) => ({ ...mount, source: `${SHOWN_AT}/${index}` }))
  const folders = mounts.map(({ source }) => source)
  return {
    words: [...showFolders(tools.perl, user, SHOWN_AT, folders), tools.bubblewrap],
    identity: undefined,
    mounts: shown,
  }
}

function checkAccess({ source, target, writable }: Mount, user: User): void {
  const reason = lacksRights(source, user, writable)
  if (reason !== undefined) throw pathRefused(target, reason)
}

/** The folder's own mode must let the user in: a bind mount changes no permissions. Undefined if it does. */
export function lacksRights(source: string, user: User, writable: boolean): string | undefined {
  const isFolder = statSync(source).isDirectory()
  const needed = READ | (isFolder ? WALK : 0) | (writable ? WRITE : 0)
  if (allows(source, user, needed)) return undefined
  const rights = writable ? 'rwX' : 'rX'
  return `Cordon runs as root, its servers do not, and others lack the rights (chmod -R o+${rights} ${source})`
}

function isReachable(target: string, user: User): boolean {
  for (let folder = path.dirname(target); ; folder = path.dirname(folder)) {
    if (!allows(folder, user, WALK)) return false
    if (folder === '/') return true
  }
}

function allows(target: string, user: User, rights: number): boolean {
  const { mode, uid, gid } = statSync(target)
  const shift = uid === user.uid ? 6 : gid === user.gid ? 3 : 0
  return ((mode >> shift) & rights) === rights
}
