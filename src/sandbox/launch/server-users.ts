/**
 * A user of its own for each server of a Cordon that is root: another server, and any other program that runs as
 * `nobody`, can neither read its memory and environment nor signal it. The number follows from the server's name, so that
 * a server finds its files again. Writes no user database.
 */
import { createHash } from 'node:crypto'
import { lacksRights, NOBODY, type User } from './unprivileged-user.ts'
import type { Mount } from '../plan/mount.ts'

/** Numbers that neither Debian nor systemd gives to anybody (systemd.io/UIDS-GIDS). */
const FIRST = 60_578
const MANY = 606

export interface ServerUsers {
  /** `nobody` where only `nobody` has the rights to one of the folders, as an owner may have set it up. */
  userFor(server: string, mounts: readonly Mount[]): User
}

export function createServerUsers(): ServerUsers {
  const taken = new Map<number, string>()
  const numberOf = (server: string): number => {
    const start = createHash('sha256').update(server).digest().readUInt32BE() % MANY
    for (let step = 0; step < MANY; step += 1) {
      const uid = FIRST + ((start + step) % MANY)
      const holder = taken.get(uid)
      if (holder !== undefined && holder !== server) continue
      taken.set(uid, server)
      return uid
    }
    return FIRST + start // more servers than numbers: two of them share one
  }
  return {
    userFor(server, mounts) {
      const own = { uid: numberOf(server), gid: NOBODY.gid }
      const isOpen = (user: User): boolean =>
        mounts.every(({ source, writable }) => lacksRights(source, user, writable) === undefined)
      return isOpen(own) || !isOpen(NOBODY) ? own : NOBODY
    },
  }
}
