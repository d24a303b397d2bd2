/**
 * The folder in which one server makes its Unix socket: empty at every start, in Cordon's home, and shown to that server
 * alone. The server can put anything there, so nothing in it is followed or trusted by its name.
 */
import { chownSync, mkdirSync, rmSync } from 'node:fs'
import path from 'node:path'
import type { LaunchSpec } from '../../kernel/sandbox-port.ts'
import type { Host } from '../host.ts'
import type { Mount } from '../plan/mount.ts'
import type { User } from './unprivileged-user.ts'

export function socketMounts(
  host: Pick<Host, 'cordonHome'>,
  spec: Pick<LaunchSpec, 'server' | 'socketsAt'>,
  user: User | undefined,
): readonly Mount[] {
  const source = socketFolder(host, spec)
  if (source === undefined || spec.socketsAt === undefined) return []
  rmSync(source, { recursive: true, force: true })
  mkdirSync(source, { recursive: true, mode: 0o700 })
  if (user) chownSync(source, user.uid, user.gid)
  return [{ source, target: spec.socketsAt, writable: true }]
}

/** The folder on the host; undefined for a server without sockets. */
export function socketFolder(
  { cordonHome }: Pick<Host, 'cordonHome'>,
  { server, socketsAt }: Pick<LaunchSpec, 'server' | 'socketsAt'>,
): string | undefined {
  return socketsAt === undefined ? undefined : path.join(cordonHome, 'run', 'sockets', server)
}
