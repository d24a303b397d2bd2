/**
 * The root file system of an image inside a sandbox: an empty root, in which every file and folder at the top of the
 * image is mounted read-only. A folder in which a declared one is to be made is mounted name by name instead, since a
 * read-only mount takes no new folder. Links are made anew, never followed: on this machine they would lead elsewhere.
 * Only looks.
 */
import { lstatSync, readdirSync, readFileSync, readlinkSync } from 'node:fs'
import path from 'node:path'
import type { ImageRoot } from '../../kernel/image-root.ts'
import { pathRefused } from '../sandbox-errors.ts'
import { folderToMake } from './folder-to-make.ts'
import { INSIDE_CORDON, INSIDE_HOME, SYSTEM_FILES } from './inside-files.ts'
import type { Mount } from './mount.ts'

/** Made by every sandbox itself. */
const OWN = new Set(['proc', 'sys', 'dev', 'tmp', 'run'])
/** Paths that no declared folder may cover. */
const TAKEN = /^\/(?:(?:proc|sys|dev|etc|opt\/cordon)(?:\/|$)|$|run$|tmp$|home$|home\/mcp$|opt$)/
const MOST_NAMES = 400

export interface ImageParts {
  readonly mounts: readonly Mount[]
  /** Arguments for bubblewrap that make the links, and the folder to begin in. */
  readonly links: readonly string[]
}

/** Without what a volume or a declared folder covers. */
export function imageParts(image: ImageRoot, declared: readonly string[]): ImageParts {
  const { root, volumes } = image
  const linked = volumes.find((folder) => hasLink(root, folder))
  if (linked !== undefined) {
    throw pathRefused(linked, 'a link of its image leads there, which is followed on this machine')
  }
  const targets = new Map(declared.map((folder) => [placeInImage(image, folder), folder]))
  const covered = new Set([INSIDE_HOME, INSIDE_CORDON, ...volumes, ...targets.keys()])
  const made = folderToMake(image, targets)
  const places = [...targets.keys(), ...(made === undefined ? [] : [made])]
  const opened = new Set(places.flatMap((target) => foldersAround(root, target)))
  const paths = pathsIn(root, { covered, opened })
  if (paths.length > MOST_NAMES) {
    throw pathRefused('/', 'its image has too many files at the top, or beside a declared folder')
  }
  const found = paths.map((target) => ({ target, source: path.join(root, target) }))
  return {
    mounts: found
      .filter(({ source }) => kindOf(source) !== 'link')
      .map((one) => ({ ...one, writable: false, isRoot: true })),
    links: [
      ...found
        .filter(({ source }) => kindOf(source) === 'link')
        .flatMap(({ source, target }) => ['--symlink', readlinkSync(source), target]),
      ...(made === undefined ? [] : ['--dir', made]),
    ],
  }
}

interface Laid {
  /** Paths at which something else is mounted. */
  readonly covered: ReadonlySet<string>
  /** Folders that are mounted name by name. */
  readonly opened: ReadonlySet<string>
}

function pathsIn(root: string, { covered, opened }: Laid, folder = ''): readonly string[] {
  const names = readdirSync(path.join(root, folder))
  const paths = names.map((name) => `${folder}/${name}`)
  const own = paths.filter((one) => !covered.has(one) && !OWN.has(one.slice(1)))
  return own.flatMap((one) => (opened.has(one) ? pathsIn(root, { covered, opened }, one) : [one]))
}

/** The folders of the image on the way to a path that it lacks. None for one at the top, where the root has room. */
function foldersAround(root: string, target: string): readonly string[] {
  const ways = waysTo(target)
  const missing = ways.findIndex((way) => kindOf(path.join(root, way)) === 'none')
  return ways.slice(0, Math.max(missing, 0))
}

/** `/a`, `/a/b` and `/a/b/c` for the last of them. None where the image shows nothing. */
function waysTo(target: string): readonly string[] {
  const parts = target.split('/').slice(1)
  if (OWN.has(parts[0] ?? '')) return []
  return parts.map((_, at) => `/${parts.slice(0, at + 1).join('/')}`)
}

/** The path inside of a declared folder. Refused where a link or a file of the image is in its way. */
export function placeInImage({ root, shownAt }: ImageRoot, folder: string): string {
  const target = shownAt[folder] ?? folder
  if (target !== path.resolve(target) || TAKEN.test(target)) {
    throw pathRefused(folder, `nothing can be shown at ${JSON.stringify(target)} in an image`)
  }
  for (const way of waysTo(target)) {
    const kind = kindOf(path.join(root, way))
    if (kind === 'none') return target
    if (kind === 'link' || (kind === 'file' && way !== target)) {
      throw pathRefused(folder, `a ${kind} of its image is in the way of ${JSON.stringify(target)}`)
    }
  }
  return target
}

/** Whether a mount at this path would meet a link of the image. At the top, links are left out where a volume is. */
function hasLink(root: string, target: string): boolean {
  const parts = target.split('/').filter(Boolean)
  if (parts.length < 2 || OWN.has(parts[0] ?? '')) return false
  return parts.some((_, at) => kindOf(path.join(root, ...parts.slice(0, at + 1))) === 'link')
}

/** A link could lead anywhere on this machine while the sandbox is made, so it is no place for a mount. */
function kindOf(place: string): 'none' | 'folder' | 'file' | 'link' {
  const found = lstatSync(place, { throwIfNoEntry: false })
  if (!found) return 'none'
  if (found.isSymbolicLink()) return 'link'
  return found.isDirectory() ? 'folder' : 'file'
}

const LARGEST_LIST = 2 ** 20

/** The loader obeys it in every program of the sandbox, the start program of Cordon included. */
const PRELOADED = '/etc/ld.so.preload'

/** The image's own users and groups, with the user of its server among them; no name server, no library to load first. */
export function filesOver({ root, user }: ImageRoot): Readonly<Record<string, string>> {
  const { uid, gid } = user
  const own = `mcp:x:${uid}:${gid}:mcp:${INSIDE_HOME}:/sbin/nologin`
  return {
    '/etc/passwd': withLine(path.join(root, 'etc/passwd'), uid, own),
    '/etc/group': withLine(path.join(root, 'etc/group'), gid, `mcp:x:${gid}:`),
    '/etc/resolv.conf': SYSTEM_FILES['/etc/resolv.conf'] ?? '',
    ...nothingPreloaded(root),
  }
}

/** Installs take the file out; an image that was installed earlier, or was changed since, may have it. */
function nothingPreloaded(root: string): Readonly<Record<string, string>> {
  const kind = kindOf(path.join(root, PRELOADED))
  if (kind === 'none') return {}
  if (kind === 'file') return { [PRELOADED]: '' }
  throw pathRefused(PRELOADED, `a ${kind} of its image is there, which nothing can be mounted over`)
}

function withLine(file: string, id: number, line: string): string {
  const found = lstatSync(file, { throwIfNoEntry: false })
  const isUsable = found?.isFile() === true && found.size <= LARGEST_LIST
  const lines = (isUsable ? readFileSync(file, 'utf8') : '').split('\n').filter(Boolean)
  const isThere = lines.some((one) => one.split(':')[2] === String(id))
  return [...lines, ...(isThere ? [] : [line])].map((one) => `${one}\n`).join('')
}
