/**
 * A project's own definitions, `<project>/.cordon/mcp`: searched from a working folder upwards, and used only while the
 * hash of their content is the one the owner trusted. The hashed bytes are the bytes that are parsed: no TOCTOU race.
 */
import { realpath, stat } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import { CordonError } from '../kernel/error.ts'
import type { Audit, Consents, ProjectTrust } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { ProjectChoice } from '../kernel/project-view.ts'
import { type DefinitionFile, hashFiles, readDefinitionFolder } from './definition-folder.ts'
import { preferenceFor } from './project-servers.ts'

export interface ProjectDeps {
  readonly owner: PrincipalId
  readonly homeFolder: string
  readonly userFolder: string
  readonly trust: ProjectTrust
  readonly consents: Consents
  readonly audit: Pick<Audit, 'appendDurable'>
}

export interface Project {
  readonly folder: string
  readonly files: readonly DefinitionFile[]
  readonly hash: string
  readonly trusted: boolean
}

/** The nearest project, from the working folder up to the home folder. */
export async function findProject(
  deps: ProjectDeps,
  workingFolder: string,
): Promise<Project | undefined> {
  const folder = await nearestProject(deps, workingFolder)
  if (folder === undefined) return undefined
  return await readFolder(deps, folder)
}

/** The project of exactly this folder. */
export async function projectAt(deps: ProjectDeps, folder: string): Promise<Project> {
  const real = await realFolder(folder)
  const project = (await isProject(deps, real)) ? await readFolder(deps, real) : undefined
  if (project === undefined) throw noProject(folder, await nearestProject(deps, folder))
  return project
}

async function readFolder(deps: ProjectDeps, folder: string): Promise<Project | undefined> {
  const files = await readDefinitionFolder(definitionsOf(folder))
  if (files.length === 0) return undefined
  const hash = hashFiles(files)
  return { folder, files, hash, trusted: (await deps.trust.trustedHash(folder)) === hash }
}

/** `seen` is the hash of what the owner was shown: if the files changed since, nothing is trusted. */
export async function trustProject(
  deps: ProjectDeps,
  folder: string,
  { seen, instead }: ProjectChoice,
): Promise<{ readonly hash: string }> {
  const { folder: project, files, hash } = await projectAt(deps, folder)
  if (hash !== seen) throw changedMeanwhile(project)
  const preferred = instead.map((server) => {
    const file = files.find(({ name }) => name === `${server}.toml`)
    return file ?? notInProject(project, server)
  })
  const details = { hash, files: files.map(({ name }) => name), instead: [...instead] }
  await deps.audit.appendDurable({
    kind: 'servers.trust',
    principal: deps.owner,
    subject: project,
    details,
  })
  for (const file of files) await deps.consents.withdraw(preferenceFor(file))
  for (const file of preferred) await deps.consents.give(preferenceFor(file), hash)
  await deps.trust.trust(project, hash)
  return { hash }
}

function changedMeanwhile(folder: string): CordonError {
  return new CordonError(
    'servers.project-changed',
    { exit: 3, hint: 'Run `cordon mcp trust` again, and look at what it shows now' },
    `Cannot trust ${JSON.stringify(folder)}: its definitions are not those that were shown`,
  )
}

function notInProject(folder: string, server: string): never {
  throw new CordonError(
    'servers.not-in-project',
    { exit: 2, hint: 'Run `cordon mcp trust` without it to see which servers the project brings' },
    `Cannot use ${JSON.stringify(server)} of ${JSON.stringify(folder)}: the project brings no such server`,
  )
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
