/**
 * The folder in which the server of an image begins, where the image lacks it: docker makes such a folder at the start,
 * and so does the sandbox, empty and read-only. Where a link of the image leads there nothing is made, since the link
 * would be followed on this machine; it is followed inside, and either leads to a folder or the start fails. Only looks.
 */
import { lstatSync } from 'node:fs'
import path from 'node:path'
import type { ImageRoot } from '../../kernel/image-root.ts'
import { pathRefused } from '../sandbox-errors.ts'
import { INSIDE_HOME } from './inside-files.ts'

/** Declared folders, by their paths inside. */
type Declared = ReadonlyMap<string, string>

/** Undefined if it is there, or lies where the sandbox has a file system of its own. */
export function folderToMake(image: ImageRoot, declared: Declared): string | undefined {
  const wanted = image.workingFolder
  if (wanted !== path.resolve(wanted) || OWN.test(wanted)) return undefined
  if (isInScratch(image)) return undefined
  const shown = [...declared].find(([target]) => isWithin(wanted, target))
  if (!shown) return missingIn(image.root, wanted)
  const [target, source] = shown
  if (lstatSync(source + wanted.slice(target.length), { throwIfNoEntry: false })) return undefined
  throw pathRefused(wanted, `it begins there, and ${JSON.stringify(source)} has no such folder`)
}

const OWN = /^\/(?:proc|sys|dev)(?:\/|$)/

function missingIn(root: string, wanted: string): string | undefined {
  for (const way of waysTo(wanted)) {
    const found = lstatSync(path.join(root, way), { throwIfNoEntry: false })
    if (!found) return wanted
    if (found.isSymbolicLink()) return undefined
    if (!found.isDirectory()) throw pathRefused(wanted, 'it begins there, and that is in a file')
  }
  return undefined
}

/** Whether it begins in a tmpfs, which hides what the image has there. */
export function isInScratch({ workingFolder, volumes }: ImageRoot): boolean {
  return ['/tmp', '/run', INSIDE_HOME, ...volumes].some((place) => isWithin(workingFolder, place))
}

function waysTo(folder: string): readonly string[] {
  const parts = folder.split('/').slice(1)
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join('/')}`)
}

function isWithin(folder: string, place: string): boolean {
  return folder === place || folder.startsWith(`${place}/`)
}
