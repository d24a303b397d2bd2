/**
 * The folders a definition asks for. Links are resolved before a path is judged; a private path is refused, not
 * skipped.
 */
import { realpathSync } from 'node:fs'
import path from 'node:path'
import type { SandboxSettings } from '../../kernel/server-definition.ts'
import type { Mount } from './mount.ts'
import { type PrivatePlaces, privateBecause } from './private-places.ts'
import { pathRefused } from '../sandbox-errors.ts'

export function declaredMounts(settings: SandboxSettings, places: PrivatePlaces): readonly Mount[] {
  const mounts = (wanted: readonly string[], writable: boolean) =>
    wanted.map((target) => {
      const source = checked(target, places, writable ? 'write' : 'read')
      return { source, target, writable }
    })
  const all = [...mounts(settings.readPaths, false), ...mounts(settings.writePaths, true)]
  // An outer folder first: mounted later, it would hide the inner one.
  return all.sort((a, b) => a.target.length - b.target.length)
}

function checked(wanted: string, places: PrivatePlaces, use: 'read' | 'write'): string {
  if (wanted !== path.resolve(wanted)) throw pathRefused(wanted, 'it is not a plain absolute path')
  const real = resolved(wanted)
  const reason = privateBecause(real, places, use) ?? privateBecause(wanted, places, use)
  if (reason !== undefined) throw pathRefused(wanted, reason)
  return real
}

function resolved(wanted: string): string {
  try {
    return realpathSync(wanted)
  } catch {
    throw pathRefused(wanted, 'it does not exist')
  }
}
