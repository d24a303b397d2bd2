/**
 * The folders that a definition asks for, and those of its program. Links are resolved before a path is judged; a private path is refused, not
 * skipped. A link in a folder that a server may write is refused: the server chose where it leads.
 */
import path from 'node:path'
import type { SandboxSettings } from '../../kernel/server-definition.ts'
import type { PinnedPath, PinPath } from '../../ports/pinned-path-port.ts'
import type { Mount } from './mount.ts'
import { isWithin, type PrivatePlaces, privateBecause } from './private-places.ts'
import { placeInImage } from './image-parts.ts'
import { pathRefused } from '../sandbox-errors.ts'

export interface DeclaredPlaces extends PrivatePlaces {
  /** The folders that any server may write. */
  readonly writableFolders: () => readonly string[]
  readonly pinPath: PinPath
}

/** `hold` keeps the sources open until the launch has compared them. */
export function declaredMounts(
  settings: Pick<SandboxSettings, 'readPaths' | 'writePaths' | 'image'>,
  places: DeclaredPlaces,
  hold: (pin: PinnedPath) => PinnedPath,
): readonly Mount[] {
  const mounts = (wanted: readonly string[], writable: boolean) =>
    wanted.map((folder) => {
      const { path: source, identity } = checked(folder, places, writable ? 'write' : 'read', hold)
      const target = settings.image ? placeInImage(settings.image, folder) : folder
      return { source, target, writable, identity }
    })
  const all = [...mounts(settings.readPaths, false), ...mounts(settings.writePaths, true)]
  // An outer folder first: mounted later, it would hide the inner one.
  return all.sort((a, b) => a.target.length - b.target.length)
}

/**
 * The folders of a program. Their real paths were judged when the program was found, but a link may have been put there
 * since then, so the path that is held is judged again, and is the one that is mounted.
 */
export function programMounts(
  found: readonly Mount[],
  places: DeclaredPlaces,
  hold: (pin: PinnedPath) => PinnedPath,
): readonly Mount[] {
  return found.map((mount) => {
    const place = mount.isRoot ? mount.source : mount.target
    const { path: source, identity } = checked(place, places, 'read', hold)
    return { ...mount, source, identity }
  })
}

function checked(
  wanted: string,
  places: DeclaredPlaces,
  use: 'read' | 'write',
  hold: (pin: PinnedPath) => PinnedPath,
): PinnedPath {
  const pin = hold(pinned(wanted, places))
  const reason =
    privateBecause(pin.path, places, use) ??
    privateBecause(wanted, places, use) ??
    linkRefusal(pin, places)
  if (reason !== undefined) throw pathRefused(wanted, reason)
  return pin
}

function pinned(wanted: string, { pinPath }: DeclaredPlaces): PinnedPath {
  if (wanted !== path.resolve(wanted)) throw pathRefused(wanted, 'it is not a plain absolute path')
  try {
    return pinPath(wanted)
  } catch {
    throw pathRefused(wanted, 'it does not exist')
  }
}

function linkRefusal(
  { linkFolders }: PinnedPath,
  { writableFolders }: DeclaredPlaces,
): string | undefined {
  const planted = linkFolders.find((folder) =>
    writableFolders().some((writable) => isWithin(folder, writable)),
  )
  return planted && `a link in ${JSON.stringify(planted)} leads to it, and a server may write there`
}
