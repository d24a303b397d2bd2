/**
 * A project's own definitions, `<project>/.cordon/mcp`: searched from a working folder upwards, and used only while the
 * hash of their content is the one the owner trusted. The hashed bytes are the bytes that are parsed: no TOCTOU race.
 */
import { realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { CordonError } from '../kernel/error.ts'
import type { Audit, ProjectTrust } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { type DefinitionFile, hashFiles, readDefinitionFolder } from './definition-folder.ts'

export interface ProjectDeps {
  readonly owner: PrincipalId
  readonly homeFolder: string
  readonly userFolder: string
  readonly trust: ProjectTrust
  readonly audit: Pick<Audit, 'appendDurable'>
}

export interface Project {
  readonly folder: string
  readonly files: readonly DefinitionFile[]
  readonly trusted: boolean
}

/** The nearest project, from the working folder up to the home folder. */
export async function findProject(
  deps: ProjectDeps,
  workingFolder: string,
): Promise<Project | undefined> {
  const folder = await nearestProject(deps, workingFolder)
  if (folder === undefined) return undefined
  const files = await readDefinitionFolder(definitionsOf(folder))
  if (files.length === 0) return undefined
  const trusted = (await deps.trust.trustedHash(folder)) === hashFiles(files)
  return { folder, files, trusted }
}

export async function trustProject(
  deps: ProjectDeps,
  folder: string,
): Promise<{ readonly hash: string }> {
  const project = await realFolder(folder)
  const files = (await isProject(deps, project))
    ? await readDefinitionFolder(definitionsOf(project))
    : []
  if (files.length === 0) throw noProject(folder, await nearestProject(deps, folder))
  const hash = hashFiles(files)
  const details = { hash, files: files.map(({ name }) => name) }
  await deps.audit.appendDurable({
    kind: 'servers.trust',
    principal: deps.owner,
    subject: project,
    details,
  })
  await deps.trust.trust(project, hash)
  return { hash }
}

/** Also works for a folder that no longer exists. */
export async function untrustProject(
  deps: Pick<ProjectDeps, 'owner' | 'trust' | 'audit'>,
  folder: string,
): Promise<void> {
  const project = await realFolder(folder)
  await deps.audit.appendDurable({
    kind: 'servers.untrust',
    principal: deps.owner,
    subject: project,
  })
  await deps.trust.revoke(project)
}

async function nearestProject(
  deps: ProjectDeps,
  workingFolder: string,
): Promise<string | undefined> {
  if (!isAbsolute(workingFolder)) return undefined
  const home = await realFolder(deps.homeFolder)
  for (let folder = await realFolder(workingFolder); folder !== home; folder = dirname(folder)) {
    if (await isProject(deps, folder)) return folder
    if (folder === dirname(folder)) return undefined
  }
  return undefined
}

/** Quotes the folder for a shell: its name may be untrusted and must not be evaluated. */
function quoted(folder: string): string {
  return `'${folder.replaceAll("'", String.raw`'\''`)}'`
}

function noProject(folder: string, nearest: string | undefined): CordonError {
  const hint =
    nearest === undefined
      ? 'Name a folder that has definitions in .cordon/mcp and is not your home'
      : `Run \`cordon mcp trust ${quoted(nearest)}\``
  return new CordonError(
    'servers.no-project',
    { exit: 2, hint },
    `Cannot trust ${JSON.stringify(folder)}: it has no definitions of its own`,
  )
}

/** The home folder and Cordon's own home are the user scope, never a project. */
async function isProject(deps: ProjectDeps, folder: string): Promise<boolean> {
  const definitions = definitionsOf(folder)
  const stats = await stat(definitions).catch(() => undefined)
  if (!stats?.isDirectory() || folder === (await realFolder(deps.homeFolder))) return false
  return (await realFolder(definitions)) !== (await realFolder(deps.userFolder))
}

function definitionsOf(folder: string): string {
  return join(folder, '.cordon', 'mcp')
}

/** Resolves symbolic links, so that a folder has one name. */
async function realFolder(folder: string): Promise<string> {
  return await realpath(folder).catch(() => folder)
}
