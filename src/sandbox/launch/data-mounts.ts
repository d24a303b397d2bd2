/**
 * The folder in Cordon's home that one server keeps its data in, shown in its sandbox. Each server is shown its own and
 * no other's: no definition can name a path in Cordon's home.
 */
import { lchownSync, lstatSync, mkdirSync, readdirSync } from 'node:fs'
import path from 'node:path'
import type { LaunchSpec } from '../../kernel/sandbox-port.ts'
import type { Host } from '../host.ts'
import { INSIDE_DATA } from '../plan/inside-files.ts'
import type { Mount } from '../plan/mount.ts'
import type { User } from './unprivileged-user.ts'

export function dataMounts(
  { cordonHome }: Pick<Host, 'cordonHome'>,
  { server, settings }: Pick<LaunchSpec, 'server' | 'settings'>,
  user: User | undefined,
): readonly Mount[] {
  if (settings.keepsData !== true) return []
  const source = path.join(cordonHome, 'data', server)
  mkdirSync(source, { recursive: true, mode: 0o700 })
  if (user) giveTo(source, user)
  return [{ source, target: INSIDE_DATA, writable: true }]
}

/** With everything in it, if it was another user's. No other process sees the folder, and no link in it is followed. */
function giveTo(source: string, user: User): void {
  if (lstatSync(source).uid === user.uid) return
  for (const entry of readdirSync(source, { withFileTypes: true })) {
    const inside = path.join(source, entry.name)
    if (entry.isDirectory()) giveTo(inside, user)
    else lchownSync(inside, user.uid, user.gid)
  }
  lchownSync(source, user.uid, user.gid) // last, so that a change that was cut short is made again
}
