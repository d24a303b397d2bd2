/**
 * Reads an answer that names folders or a file, or says whether they may be changed, and looks at this machine to judge
 * it: what is missing or private is a fault, told at once instead of at the start of the server. Changes nothing.
 */
import { type Stats, statSync } from 'node:fs'
import path from 'node:path'
import type { CredentialNeed } from '../../ports/service-facts.ts'
import type { ConnectOptions } from '../../ports/setup-port.ts'
import { type Connection, needFor } from '../connection/connection.ts'
import {
  type Access,
  accessChoices,
  type Chosen,
  parseAccess,
  type PlaceReading,
  type Places,
} from './places.ts'

const LONGEST = 4096

export interface PlaceDeps {
  /** The owner's home folder: `~` in a path means it. */
  readonly homeFolder: string
  /** The reason why a server may not be shown a path; undefined if it may. */
  judgePath(wanted: string, use: Access): string | undefined
}

/** The text as an answer to the open question of a connection; undefined if that asks for no place. */
export function placeFor(
  deps: PlaceDeps,
  { state, service, chosen }: Connection,
  text: string,
): PlaceReading | undefined {
  const need = state.kind === 'asking' ? needFor(service, state.key) : undefined
  return need?.place === undefined ? undefined : readPlace(deps, need, chosen, text)
}

/** Undefined if the text is no answer to this question. */
function readPlace(
  deps: PlaceDeps,
  { place }: CredentialNeed,
  chosen: Chosen | undefined,
  text: string,
): PlaceReading | undefined {
  if (place === 'access') {
    const access = parseAccess(text)
    return access && chosen && withAccess(deps, chosen, access)
  }
  const words = place === 'file' ? [text.trim()] : text.split(/[,\n]/).map((word) => word.trim())
  const named = words.filter((word) => word !== '').map(unquoted)
  if (named.length === 0 || !named.every(isPathLike)) return undefined
  return place === 'file' ? chooseFile(deps, named[0] ?? '') : chooseFolders(deps, named)
}

/** Places given with the command that connects; undefined if none are. */
export function givenPlaces(
  deps: PlaceDeps,
  { read = [], write = [] }: ConnectOptions,
  isFile: boolean,
): PlaceReading | undefined {
  const readings = [
    ...read.map((one) => givenPlace(deps, one, 'read', isFile)),
    ...write.map((one) => givenPlace(deps, one, 'write', isFile)),
  ]
  const fault = readings.find(({ kind }) => kind === 'fault')
  if (fault || readings.length === 0) return fault
  const all = readings.flatMap((one) => (one.kind === 'places' ? [one.places] : []))
  return { kind: 'places', places: joined(all) }
}

function givenPlace(
  deps: PlaceDeps,
  wanted: string,
  access: Access,
  isFile: boolean,
): PlaceReading {
  const isWhole = isFile && !isFolder(expand(deps, wanted))
  const reading = isWhole ? chooseFile(deps, wanted) : choosePaths(deps, [wanted])
  return reading.kind === 'chosen' ? withAccess(deps, reading.chosen, access) : reading
}

function joined(all: readonly Places[]): Places {
  const file = all.find((one) => one.file !== undefined)?.file
  return {
    read: [...new Set(all.flatMap((one) => one.read))],
    write: [...new Set(all.flatMap((one) => one.write))],
    ...(file !== undefined && { file }),
    means: all.map(({ means }) => means).join('\n'),
  }
}

export function chooseFolders(deps: PlaceDeps, named: readonly string[]): PlaceReading {
  const paths = named.map((one) => expand(deps, one))
  for (const one of paths) {
    const fault = deps.judgePath(one, 'read') ?? (isFolder(one) ? undefined : 'it is not a folder')
    if (fault !== undefined) return faultAt(deps, one, fault)
  }
  return { kind: 'chosen', chosen: { paths, shown: listed(deps, paths), isFile: false } }
}

/** Folders, and single files that are shown as they are. */
export function choosePaths(deps: PlaceDeps, named: readonly string[]): PlaceReading {
  const paths = named.map((one) => expand(deps, one))
  for (const one of paths) {
    const fault = deps.judgePath(one, 'read')
    if (fault !== undefined) return faultAt(deps, one, fault)
  }
  return { kind: 'chosen', chosen: { paths, shown: listed(deps, paths), isFile: false } }
}

/** A file that is not there yet is made by the server, if its folder is there. */
export function chooseFile(deps: PlaceDeps, wanted: string): PlaceReading {
  const file = expand(deps, wanted)
  if (isFolder(file)) return faultAt(deps, file, 'it is a folder: name the file in it')
  const judged = deps.judgePath(file, 'read')
  const isNew = path.isAbsolute(file) && !isThere(file)
  if (judged !== undefined && !(isNew && isFolder(path.dirname(file)))) {
    return faultAt(deps, file, judged)
  }
  return { kind: 'chosen', chosen: { paths: [file], shown: listed(deps, [file]), isFile: true } }
}

function withAccess(deps: PlaceDeps, chosen: Chosen, access: Access): PlaceReading {
  const shown = chosen.isFile ? aroundFile(deps, chosen, access) : chosen.paths
  if (typeof shown === 'string') return { kind: 'fault', fault: shown }
  for (const one of shown) {
    const fault = deps.judgePath(one, access)
    if (fault !== undefined) return faultAt(deps, one, fault)
  }
  const [file] = chosen.isFile ? chosen.paths : []
  const places = {
    read: access === 'read' ? shown : [],
    write: access === 'write' ? shown : [],
    ...(file !== undefined && { file }),
    means: `${capital(accessChoices(chosen)[access])}.`,
  }
  return { kind: 'places', places }
}

/**
 * The folder of a database: SQLite keeps a journal or a log beside the file, and an answer without that log would be
 * wrong. A file in a folder that may not be shown, such as the home, can still be read alone. A text is a fault.
 */
function aroundFile(
  deps: PlaceDeps,
  { paths }: Chosen,
  access: Access,
): readonly string[] | string {
  const [file = ''] = paths
  const folder = path.dirname(file)
  if (access === 'read' && !isThere(file)) return `there is no ${tilde(deps, file)} to read yet`
  const fault = deps.judgePath(folder, access)
  if (fault === undefined) return [folder]
  if (access === 'read') return [file]
  return `SQLite keeps a journal beside the file, and ${tilde(deps, folder)} cannot be given to a server: ${fault}. Move the file into a folder of its own`
}

export function isThere(place: string): boolean {
  return lookAt(place) !== undefined
}

function isFolder(place: string): boolean {
  return lookAt(place)?.isDirectory() === true
}

/** Undefined also for what cannot be looked at. */
function lookAt(place: string): Stats | undefined {
  try {
    return path.isAbsolute(place) ? statSync(place) : undefined
  } catch {
    return undefined
  }
}

/** From `/` or `~`, or at least with a slash: anything else in a chat is conversation. */
function isPathLike(word: string): boolean {
  if (word.length > LONGEST || /\p{Cc}/u.test(word)) return false
  return /^[/~]/.test(word) || (/\//.test(word) && !/\s/.test(word) && !word.includes('://'))
}

function unquoted(word: string): string {
  return /^(["'])(.*)\1$/.exec(word)?.[2] ?? word
}

export function expand({ homeFolder }: PlaceDeps, word: string): string {
  const whole = word.replace(/^~(?=\/|$)/, () => homeFolder)
  return path.isAbsolute(whole) ? path.resolve(whole) : whole
}

function tilde({ homeFolder }: PlaceDeps, place: string): string {
  if (place === homeFolder) return '~'
  return place.startsWith(`${homeFolder}/`) ? `~${place.slice(homeFolder.length)}` : place
}

function listed(deps: PlaceDeps, paths: readonly string[]): string {
  const shown = paths.map((one) => tilde(deps, one))
  return shown.length < 2 ? shown.join('') : `${shown.slice(0, -1).join(', ')} and ${shown.at(-1)}`
}

function faultAt(deps: PlaceDeps, place: string, fault: string): PlaceReading {
  const why = path.isAbsolute(place) ? fault : 'write the whole path, from / or ~/'
  return { kind: 'fault', fault: `${tilde(deps, place)}: ${why}` }
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
