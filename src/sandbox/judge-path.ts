/**
 * Says of a path whether a server may be shown it, before any server starts: the rule that every launch applies again.
 * Links are resolved first. Changes nothing.
 */
import { realpathSync } from 'node:fs'
import path from 'node:path'
import { lacksRights, sandboxUser, type User } from './launch/unprivileged-user.ts'
import { type PrivatePlaces, privateBecause } from './plan/private-places.ts'

/** The reason why not, as a clause that completes "Cannot show it: …"; undefined if it may be shown. */
export type JudgePath = (wanted: string, use: 'read' | 'write') => string | undefined

export function createPathJudge(
  places: PrivatePlaces,
  user: User | undefined = sandboxUser(),
): JudgePath {
  const real = { cordonHome: realOr(places.cordonHome), userHome: realOr(places.userHome) }
  return (wanted, use) => {
    if (wanted !== path.resolve(wanted)) return 'it is not a plain absolute path'
    try {
      const target = realpathSync(wanted)
      const isPrivate = privateBecause(target, real, use) ?? privateBecause(wanted, real, use)
      return isPrivate ?? (user && lacksRights(target, user, use === 'write'))
    } catch {
      return privateBecause(wanted, real, use) ?? 'there is no such file or folder'
    }
  }
}

function realOr(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
