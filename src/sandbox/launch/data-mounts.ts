/**
 * The folder in Cordon's home that one server keeps its data in, shown in its sandbox. Each server is shown its own and
 * no other's: no definition can name a path in Cordon's home.
 */
import { chownSync, mkdirSync } from 'node:fs'
import path from 'node:path'
import type { LaunchSpec } from '../../kernel/sandbox-port.ts'
import type { Host } from '../host.ts'
import { INSIDE_DATA } from '../plan/inside-files.ts'
import type { Mount } from '../plan/mount.ts'

export function dataMounts(
  { cordonHome, user }: Pick<Host, 'cordonHome' | 'user'>,
  { server, settings }: Pick<LaunchSpec, 'server' | 'settings'>,
): readonly Mount[] {
  if (settings.keepsData !== true) return []
  const source = path.join(cordonHome, 'data', server)
  mkdirSync(source, { recursive: true, mode: 0o700 })
  if (user) chownSync(source, user.uid, user.gid)
  return [{ source, target: INSIDE_DATA, writable: true }]
}
