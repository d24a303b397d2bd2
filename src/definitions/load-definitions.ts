/**
 * Loads all definitions that apply in a working folder: project over user over system, by file name. The nearer file
 * wins even if it is broken, so a typing mistake never re-enables a definition it was hiding.
 */
import { CordonError } from '../kernel/error.ts'
import type { Audit, DefinitionHashes, DefinitionListing } from '../kernel/ports.ts'
import type {
  DefinitionProblem,
  DefinitionScope,
  LoadedDefinition,
} from '../kernel/server-definition.ts'
import { type DefinitionReading, readDefinition } from './read-definition.ts'
import { type DefinitionFile, hashBytes, readDefinitionFolder } from './definition-folder.ts'
import { findProject, type Project, type ProjectDeps } from './project-scope.ts'

export interface LoadDeps extends ProjectDeps {
  readonly systemFolder: string
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
  const files: readonly ScopedFile[] = [
    ...scoped('project', project?.trusted ? project.files : []),
    ...scoped('user', await readDefinitionFolder(deps.userFolder)),
    ...scoped('system', await readDefinitionFolder(deps.systemFolder)),
  ]
  const servers: LoadedDefinition[] = []
  const problems: DefinitionProblem[] = []
  for (const [, [nearest, ...farther]] of Map.groupBy(files, ({ name }) => name)) {
    if (nearest === undefined) continue
    const reading = read(nearest, deps.homeFolder)
    if (reading.kind === 'problems') {
      problems.push(...reading.problems)
      continue
    }
    const warnings = [
      ...reading.warnings,
      ...farther.map(({ path }) => `hides ${path}, which has the same name`),
      ...(await handEdit(deps, nearest)),
    ]
    const { scope, path } = nearest
    servers.push({ definition: reading.definition, scope, path, warnings })
  }
  servers.sort((a, b) => (a.definition.id < b.definition.id ? -1 : 1))
  return { servers, problems, ...untrusted(project) }
}

function scoped(scope: DefinitionScope, files: readonly DefinitionFile[]): readonly ScopedFile[] {
  return files.map((file) => ({ ...file, scope }))
}

function read({ path, content }: DefinitionFile, homeFolder: string): DefinitionReading {
  const mistake = (message: string): DefinitionReading => ({
    kind: 'problems',
    problems: [{ path, message }],
  })
  if (typeof content === 'string') return mistake(content)
  const text = decodeUtf8(content)
  return text === undefined
    ? mistake('expected UTF-8 text')
    : readDefinition(path, text, homeFolder)
}

export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
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

function untrusted(project: Project | undefined): Pick<DefinitionListing, 'untrusted'> {
  if (project === undefined || project.trusted) return {}
  const files = project.files.map(({ name }) => name)
  return { untrusted: { folder: project.folder, files } }
}
