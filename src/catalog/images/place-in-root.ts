/**
 * Paths in the root file system of an image, resolved as they would be if it were `/`: an absolute link and `..` stay
 * inside. The only way that anything in this folder finds a path, so no link of an image is ever followed by the system.
 */
import { lstatSync, mkdirSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import { ImageError } from './image-error.ts'

const MOST_LINKS = 40
/** Below PATH_MAX, with room for the folder of the image itself. */
const LONGEST = 3072
const LONGEST_PART = 255

export interface PlaceInRoot {
  /** A real folder below the root. */
  readonly folder: string
  readonly base: string
}

/**
 * The place of an entry; its folders are made where they are missing, and `made` is told of each. Undefined for the root
 * itself.
 */
export function placeInRoot(root: string, name: string, made: () => void): PlaceInRoot | undefined {
  const parts = partsOf(name)
  const base = parts.at(-1)
  if (base === undefined) return undefined
  return { folder: makeFolder(root, parts.slice(0, -1), made), base }
}

/** Refuses what no builder writes: a name that begins at the root, or leads out of its folder. */
function partsOf(name: string): readonly string[] {
  const parts = name.split('/').filter((part) => part !== '' && part !== '.')
  if (name.startsWith('/') || parts.includes('..')) {
    throw new ImageError('unsafe-package', 'a name in one of its layers leads out of the image')
  }
  if (Buffer.byteLength(name) > LONGEST || parts.some(isTooLong)) {
    throw new ImageError('bad-package', 'a name in one of its layers is too long')
  }
  return parts
}

function refuseTooLong(here: readonly string[], part: string): void {
  if (!isTooLong(part) && here.join('/').length <= LONGEST) return
  throw new ImageError('bad-package', 'one of its paths is too long')
}

function isTooLong(part: string): boolean {
  return Buffer.byteLength(part) > LONGEST_PART
}

/** The real folder at this path, made where it is missing. Links lead on inside the root. */
export function makeFolder(root: string, parts: readonly string[], made?: () => void): string {
  const waiting = [...parts]
  let links = 0
  let here: string[] = []
  for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
    if (part === '..') here.pop()
    if (part === '' || part === '.' || part === '..') continue
    refuseTooLong(here, part)
    const target = linkOrFolder(path.join(root, ...here, part), made)
    if (target === undefined) here.push(part)
    else {
      if ((links += 1) > MOST_LINKS)
        throw new ImageError('bad-package', 'its links run in a circle')
      if (target.startsWith('/')) here = []
      waiting.unshift(...target.split('/'))
    }
  }
  return path.join(root, ...here)
}

/** The target of a link; otherwise a folder is there, or is made. */
function linkOrFolder(place: string, made?: () => void): string | undefined {
  const found = lstatSync(place, { throwIfNoEntry: false })
  if (found?.isSymbolicLink() === true) return readlinkSync(place)
  if (!found) {
    made?.()
    mkdirSync(place, { mode: 0o755 })
  } else if (!found.isDirectory()) {
    throw new ImageError('bad-package', 'one of its layers has a file where a folder is needed')
  }
  return undefined
}

/** Whether every part of the path is a real folder or missing: only there may something be mounted. */
export function isPlain(root: string, parts: readonly string[]): boolean {
  let place = root
  for (const part of parts) {
    place = path.join(place, part)
    const found = lstatSync(place, { throwIfNoEntry: false })
    if (!found) return true
    if (!found.isDirectory()) return false
  }
  return true
}
