/**
 * Reads the definitions of a project, which somebody else wrote: each may name only secrets of its own, runs inside a
 * sandbox, and cannot vouch for itself. The owner's server of the same name stays in force until they decide otherwise,
 * for these very bytes. Starts nothing.
 */
import { createHash } from 'node:crypto'
import { basename, join } from 'node:path'
import { later, LEVELS, type Level } from '../labels/label.ts'
import type { Consents } from '../kernel/ports.ts'
import type { ProjectServer } from '../kernel/project-view.ts'
import { showSecretRef } from '../kernel/secret-ref.ts'
import type {
  DefinitionProblem,
  LoadedDefinition,
  ServerDefinition,
} from '../kernel/server-definition.ts'
import type { ServerId } from '../kernel/server-id.ts'
import { type DefinitionFile, readDefinitionText } from './definition-folder.ts'
import { foreignReferences } from './foreign-references.ts'
import type { Project } from './project-scope.ts'
import { type DefinitionReading, readDefinition } from './read-definition.ts'
import { showLaunch } from './show-launch.ts'
import { steersLoader } from './steers-loader.ts'

export interface ProjectServerDeps {
  readonly homeFolder: string
  readonly consents: Pick<Consents, 'given'>
}

/** The owner's own definition files by file name, in the order in which they count. */
export type OwnFiles = ReadonlyMap<string, DefinitionFile>

export interface ReadProjectServer {
  readonly loaded: LoadedDefinition
  readonly view: ProjectServer
}

export interface ProjectReading {
  readonly servers: readonly ReadProjectServer[]
  readonly problems: readonly DefinitionProblem[]
}

export async function readProject(
  deps: ProjectServerDeps,
  project: Project,
  own: OwnFiles,
): Promise<ProjectReading> {
  const servers: ReadProjectServer[] = []
  const problems: DefinitionProblem[] = []
  for (const file of project.files) {
    const reading = readForeign(file, deps.homeFolder)
    if (reading.kind === 'problems') {
      problems.push(...reading.problems)
      continue
    }
    const mine = own.get(file.name)
    const isUsed = mine === undefined || (await isPreferred(deps, project, file))
    const hides = mine && { hides: mine.path }
    const warnings = [...reading.warnings, ...namesakeWarning(hides?.hides, isUsed)]
    const definition = inFolder(reading.definition, project.folder)
    servers.push({
      view: { ...viewOf(file, definition), ...hides, isUsed, warnings },
      loaded: {
        definition,
        runsAs: runsAs(definition.id, project.folder),
        scope: 'project',
        path: file.path,
        warnings,
      },
    })
  }
  return { servers, problems }
}

/** The consent that a project's file is used instead of the owner's; it holds for the hash of the whole project. */
export function preferenceFor({ path }: Pick<DefinitionFile, 'path'>): string {
  return `instead-of-mine:${path}`
}

async function isPreferred(
  { consents }: ProjectServerDeps,
  { hash }: Project,
  file: DefinitionFile,
): Promise<boolean> {
  return (await consents.given(preferenceFor(file))) === hash
}

function namesakeWarning(hidden: string | undefined, isUsed: boolean): readonly string[] {
  if (hidden === undefined) return []
  return isUsed
    ? [`is used here instead of ${hidden}, as you decided`]
    : [`is not used: you have a server of the same name, ${hidden}`]
}

function readForeign(file: DefinitionFile, homeFolder: string): DefinitionReading {
  const { path } = file
  const text = readDefinitionText(file)
  if (typeof text !== 'string') return { kind: 'problems', problems: [{ path, ...text }] }
  const reading = readDefinition(path, text, homeFolder)
  if (reading.kind === 'problems') return reading
  const { definition } = reading
  const refused = [
    ...foreignReferences(definition),
    ...(definition.sandbox.mode === 'none' ? [NO_SANDBOX] : []),
  ]
  if (refused.length > 0) {
    return { kind: 'problems', problems: refused.map((message) => ({ path, message })) }
  }
  return { ...reading, definition: withoutFavours(definition) }
}

const NO_SANDBOX = 'sandbox.mode: expected a sandbox, without which no server of a project runs'

const STRICT = new Set<unknown>(['write', 'destructive', 'exec'])

/** Claims of a file about its own tools and data count only where they make Cordon more careful. */
function withoutFavours(definition: ServerDefinition): ServerDefinition {
  const { source, ...rest } = definition
  const tools = Object.entries(definition.tools).map(([name, { semantics, enabled }]) => {
    const strict = {
      ...(semantics !== undefined && STRICT.has(semantics) && { semantics }),
      ...(enabled === false && { enabled }),
    }
    return [name, strict] as const
  })
  return {
    ...rest,
    ...(source !== undefined && source.kind !== 'catalog' && { source }),
    label: later<Level>(LEVELS, 'sensitive', definition.label),
    tools: Object.fromEntries(tools),
  }
}

/** `./server.js` means a file of the project; a path that leads out of it stays as it is, and is not found. */
function inFolder(definition: ServerDefinition, folder: string): ServerDefinition {
  const place = (word: string): string => {
    const whole = word.startsWith('./') ? join(folder, word) : word
    return whole.startsWith(`${folder}/`) ? whole : word
  }
  const { command, args } = definition
  return {
    ...definition,
    args: args.map(place),
    ...(command !== undefined && { command: place(command) }),
  }
}

/** An id of its own for each folder, so that no pin, grant or label of one project counts in another. */
function runsAs(server: ServerId, folder: string): ServerId {
  const place = createHash('sha256').update(folder).digest('hex').slice(0, 16)
  return `${server}~${place}` as ServerId // with a tilde: no definition and no request can name it
}

function viewOf(
  { path }: DefinitionFile,
  definition: ServerDefinition,
): Omit<ProjectServer, 'hides' | 'isUsed' | 'warnings'> {
  const { transport, env, auth, allowedDomains, sandbox } = definition
  return {
    server: basename(path, '.toml'),
    path,
    transport,
    runs: showLaunch(definition),
    settings: Object.keys(env).map((name) => (steersLoader(name) ? `${name} (${STEERS})` : name)),
    hosts: allowedDomains,
    readPaths: sandbox.readPaths,
    writePaths: sandbox.writePaths,
    secrets: Object.entries(auth).map(([key, ref]) => ({ key, ref: showSecretRef(ref) })),
  }
}

const STEERS = 'decides which code it loads or whom it believes'
