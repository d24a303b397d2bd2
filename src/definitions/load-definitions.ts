/**
 * Loads all definitions that apply in a working folder: user over system, by file name. The nearer file wins even if it
 * is broken, so a typing mistake never re-enables a definition it was hiding. A trusted project adds its own, and
 * replaces one of the owner's only where the owner decided so.
 */
import { CordonError } from '../kernel/error.ts'
import type { Audit, DefinitionHashes, DefinitionListing } from '../kernel/ports.ts'
import type { ProjectView } from '../kernel/project-view.ts'
import type {
  DefinitionProblem,
  DefinitionScope,
  LoadedDefinition,
  ServerDefinition,
} from '../kernel/server-definition.ts'
import type { ServerId } from '../kernel/server-id.ts'
import { type DefinitionReading, readDefinition } from './read-definition.ts'
import {
  type DefinitionFile,
  hashBytes,
  readDefinitionFolder,
  readDefinitionText,
} from './definition-folder.ts'
import { readConfigLimits, withConfigLimits } from './config-limits.ts'
import { missingProgram } from './missing-program.ts'
import { findProject, type Project, projectAt, type ProjectDeps } from './project-scope.ts'
import { type OwnFiles, readProject } from './project-servers.ts'

export interface LoadDeps extends ProjectDeps {
  readonly systemFolder: string
  readonly configPath: string
  readonly hashes: DefinitionHashes
  readonly audit: Pick<Audit, 'appendDurable'>
  /** Hand edits noticed since the start: path to hash and warning. */
  readonly noticed: Map<string, { readonly hash: string; readonly warning: string }>
}

interface ScopedFile extends DefinitionFile {
  readonly scope: DefinitionScope
}

export async function loadDefinitions(
  deps: LoadDeps,
  workingFolder?: string,
): Promise<DefinitionListing> {
  const project = workingFolder === undefined ? undefined : await findProject(deps, workingFolder)
  const [user, system, config] = await Promise.all([
    readDefinitionFolder(deps.userFolder),
    readDefinitionFolder(deps.systemFolder),
    readConfigLimits(deps.configPath),
  ])
  const files: readonly ScopedFile[] = [...scoped('user', user), ...scoped('system', system)]
  const theirs = project?.trusted
    ? await readProject(deps, project, nearestFiles(files))
    : { servers: [], problems: [] }
  const used = theirs.servers.filter(({ view }) => view.isUsed)
  const servers: LoadedDefinition[] = used.map(({ loaded }) => loaded)
  const problems: DefinitionProblem[] = [...config.problems, ...theirs.problems]
  const replaced = new Set(used.flatMap(({ view }) => view.hides ?? []))
  for (const [, [nearest, ...farther]] of Map.groupBy(files, ({ name }) => name)) {
    if (nearest === undefined || replaced.has(nearest.path)) continue
    const reading = read(nearest, deps.homeFolder)
    if (reading.kind === 'problems') {
      problems.push(...reading.problems)
      continue
    }
    const warnings = [
      ...reading.warnings,
      ...(await missingProgram(reading.definition)),
      ...farther.map(({ path }) => `hides ${path}, which has the same name`),
      ...theirs.servers
        .filter(({ view }) => view.hides === nearest.path)
        .map(({ view }) => namesake(project?.folder ?? '', view.server)),
      ...(await handEdit(deps, nearest)),
    ]
    const { scope, path } = nearest
    servers.push({ definition: reading.definition, scope, path, warnings })
  }
  servers.sort((a, b) => (a.definition.id < b.definition.id ? -1 : 1))
  const { maxRunning } = config
  const limited = servers.map((loaded) => {
    return { ...loaded, definition: withConfigLimits(loaded.definition, config) }
  })
  return {
    servers: limited,
    problems,
    ...(maxRunning !== undefined && { maxRunning }),
    ...untrusted(project),
  }
}

/** Of two files with the same name, the nearer. */
function nearestFiles(files: readonly DefinitionFile[]): OwnFiles {
  return new Map(files.toReversed().map((file) => [file.name, file]))
}

function namesake(folder: string, server: string): string {
  return `is used, although the project ${folder} brings a server of the same name; to use that one there, run \`cordon mcp trust --instead-of-mine ${server}\``
}

function scoped(scope: DefinitionScope, files: readonly DefinitionFile[]): readonly ScopedFile[] {
  return files.map((file) => ({ ...file, scope }))
}

function read(file: DefinitionFile, homeFolder: string): DefinitionReading {
  const text = readDefinitionText(file)
  if (typeof text === 'string') return readDefinition(file.path, text, homeFolder)
  return { kind: 'problems', problems: [{ path: file.path, ...text }] }
}

/** A hand edit of a file that Cordon wrote is accepted, recorded once, and shown as a warning until the next start. */
async function handEdit(
  { owner, hashes, audit, noticed }: LoadDeps,
  { scope, path, content }: ScopedFile,
): Promise<readonly string[]> {
  if (scope !== 'user') return []
  const hash = hashBytes(content)
  const known = await hashes.get(path)
  const told = noticed.get(path)
  if (known === hash) return told?.hash === hash ? [told.warning] : []
  const warning =
    known === undefined ? 'written by hand' : 'changed by hand since Cordon last wrote it'
  const details = { hash, before: known ?? null }
  try {
    const event = { kind: 'servers.hand-edit', principal: owner, subject: path, details } as const
    await audit.appendDurable(event)
    await hashes.put(path, hash)
    noticed.set(path, { hash, warning })
    return [warning]
  } catch (error) {
    // An edit that cannot be recorded is not accepted, so the warning repeats at the next load; the listing still
    // works.
    if (!(error instanceof CordonError)) throw error
    return [`${warning}; that could not be recorded (${error.code})`]
  }
}

/** The number of definitions, broken ones included. Records nothing. */
export async function countDefinitions(
  deps: Pick<LoadDeps, 'userFolder' | 'systemFolder'>,
): Promise<number> {
  const folders = await Promise.all([deps.userFolder, deps.systemFolder].map(readDefinitionFolder))
  return new Set(folders.flat().map(({ name }) => name)).size
}

/** All that a folder's `.cordon/mcp` holds, trusted or not, for the owner to look at. */
export async function showProject(deps: LoadDeps, folder: string): Promise<ProjectView> {
  const project = await projectAt(deps, folder)
  const { servers, problems } = await readProject(deps, project, await ownFiles(deps))
  const { hash, trusted: isTrusted } = project
  return {
    folder: project.folder,
    hash,
    isTrusted,
    servers: servers.map(({ view }) => view),
    problems,
  }
}

/** A trusted project's server as it runs in this working folder; undefined if none of this name is in force. */
export async function findInProject(
  deps: LoadDeps,
  workingFolder: string,
  server: ServerId,
): Promise<ServerDefinition | undefined> {
  const project = await findProject(deps, workingFolder)
  if (!project?.trusted) return undefined
  const files = project.files.filter(({ name }) => name === `${server}.toml`)
  if (files.length === 0) return undefined
  const { servers } = await readProject(deps, { ...project, files }, await ownFiles(deps))
  const found = servers.find(({ view }) => view.isUsed)?.loaded
  if (found?.runsAs === undefined) return undefined
  const { runsAs: id } = found
  const config = await readConfigLimits(deps.configPath)
  const definition = withConfigLimits(found.definition, config)
  return { ...definition, id, name: `${definition.name} (project)` }
}

async function ownFiles(deps: Pick<LoadDeps, 'userFolder' | 'systemFolder'>): Promise<OwnFiles> {
  const folders = await Promise.all([deps.userFolder, deps.systemFolder].map(readDefinitionFolder))
  return nearestFiles(folders.flat())
}

function untrusted(project: Project | undefined): Pick<DefinitionListing, 'untrusted'> {
  if (project === undefined || project.trusted) return {}
  const files = project.files.map(({ name }) => name)
  return { untrusted: { folder: project.folder, files } }
}
