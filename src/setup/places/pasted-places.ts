/**
 * Folders and files that a pasted line names: `npx -y obsidian-mcp ~/vault`. The line says that the server uses them, so
 * only what it may do with them is left to ask. Nothing is given to a server here.
 */
import type { CredentialNeed, Service } from '../../ports/service-facts.ts'
import type { Chosen } from './places.ts'
import {
  chooseFile,
  chooseFolders,
  choosePaths,
  expand,
  isThere,
  type PlaceDeps,
} from './read-place.ts'

/** As an argument: every folder that the sandbox shows. */
const FOLDERS = '${folders}'
/** Nothing but a path, perhaps behind `--option=`, `name=` or `file:`. A shell would have replaced the `~`. */
const NAMED = /^(?<before>(?:[\w-]+=)?(?:file:|sqlite:)?)(?<path>~|~?\/[^\0]*)$/
const DATABASE = /\.(?:db|db3|sqlite|sqlite3|duckdb)$/i

const ACCESS: CredentialNeed = {
  key: 'ACCESS',
  title: 'access',
  where: 'read, or write to let it change what is there',
  prefixes: [],
  required: true,
  place: 'access',
}

export interface PastedPlaces {
  readonly service: Service
  /** Absent if the line names nothing that the server may be shown. */
  readonly chosen?: Chosen
}

export function pastedPlaces(deps: PlaceDeps, service: Service): PastedPlaces {
  const { launch, credentials, origin } = service
  if (!('args' in launch)) return { service }
  if (launch.kind === 'image') return imagePlaces(deps, service, launch)
  if (credentials.some(({ place }) => place === 'folders')) return knownFolders(deps, service)
  return origin === 'pasted' ? namedPlaces(deps, service) : { service }
}

/** A known server that works in folders is given them all by one argument. */
function knownFolders(deps: PlaceDeps, service: Service): PastedPlaces {
  const { launch } = service
  if (launch.kind !== 'npm' || launch.args.includes(FOLDERS)) return { service }
  const named = launch.args.filter((arg) => /^[/~]/.test(arg))
  const reading = named.length === 0 ? undefined : chooseFolders(deps, named)
  const chosen = reading?.kind === 'chosen' ? { chosen: reading.chosen } : {}
  return { service: { ...service, launch: { ...launch, args: [FOLDERS] } }, ...chosen }
}

/** Paths in arguments and settings of any other server. One that is not on this machine is left as it is. */
function namedPlaces(deps: PlaceDeps, service: Service): PastedPlaces {
  const { launch, env, credentials } = service
  if (!('args' in launch)) return { service }
  const words = [...launch.args, ...Object.values(env)]
  const paths = [...new Set(words.flatMap((word) => pathIn(deps, word) ?? []))]
  if (paths.length === 0) return { service }
  const [first = ''] = paths
  const isDatabase = paths.length === 1 && DATABASE.test(first)
  const reading = isDatabase ? chooseFile(deps, first) : choosePaths(deps, paths)
  const whole = (word: string): string => withPath(deps, word)
  const next = {
    ...service,
    launch: { ...launch, args: launch.args.map(whole) },
    env: Object.fromEntries(Object.entries(env).map(([name, value]) => [name, whole(value)])),
  }
  if (reading.kind === 'chosen') {
    const needs = [ACCESS, ...credentials]
    return { service: { ...next, credentials: needs }, chosen: reading.chosen }
  }
  if (reading.kind !== 'fault') return { service: next }
  const note = `It cannot be shown ${reading.fault}.`
  return { service: { ...next, notes: [...service.notes, note] } }
}

/** The folders of `-v`; every other path in the line is one inside the image. */
function imagePlaces(
  deps: PlaceDeps,
  service: Service,
  launch: Extract<Service['launch'], { kind: 'image' }>,
): PastedPlaces {
  const named = Object.entries(launch.shownAt ?? {})
  if (named.length === 0) return { service }
  const shownAt = Object.fromEntries(named.map(([from, to]) => [expand(deps, from), to]))
  const next = { ...service, launch: { ...launch, shownAt } }
  const reading = choosePaths(deps, Object.keys(shownAt))
  if (reading.kind === 'chosen') {
    return {
      service: { ...next, credentials: [ACCESS, ...service.credentials] },
      chosen: reading.chosen,
    }
  }
  if (reading.kind !== 'fault') return { service: next }
  const note = `It cannot be shown ${reading.fault}.`
  return { service: { ...next, notes: [...service.notes, note] } }
}

/** The path that a word holds, if something is there, or a database could be made there. */
function pathIn(deps: PlaceDeps, word: string): string | undefined {
  const named = NAMED.exec(word)?.groups?.['path']
  if (named === undefined) return undefined
  const path = expand(deps, named)
  return isThere(path) || DATABASE.test(path) ? path : undefined
}

function withPath(deps: PlaceDeps, word: string): string {
  const { before = '', path } = NAMED.exec(word)?.groups ?? {}
  return path?.startsWith('~') ? before + expand(deps, path) : word
}
