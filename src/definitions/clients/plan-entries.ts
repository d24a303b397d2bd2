/**
 * Plans the move of one client: the future of every entry of its file, as `mcp migrate` would make it. Only reads. An
 * entry that Cordon cannot run stays in the file, so that nothing stops working because of a move.
 */
import { isDeepStrictEqual } from 'node:util'
import type { ImportedServer, ImportReport } from '../../kernel/import-report.ts'
import type { Definitions } from '../../kernel/ports.ts'
import type { EntryPlan } from '../../ports/client-import-port.ts'
import type { JsonObject } from '../../text/json.ts'
import { readPlainFile } from '../definition-folder.ts'
import { readDefinition } from '../read-definition.ts'
import { showLaunch } from '../show-launch.ts'
import type { ConfigFile } from './config-file.ts'
import { type ConfigEntry, entriesIn } from './edit-config.ts'
import { isCordonEntry } from './cordon-entry.ts'

export interface PlanClientDeps {
  readonly definitions: Pick<Definitions, 'migrate'>
  readonly homeFolder: string
}

export interface PlannedEntry {
  readonly at: ConfigEntry
  /** The name under which it is given to `migrate`. */
  readonly name: string
  readonly plan: EntryPlan
}

export async function planEntries(
  deps: PlanClientDeps,
  file: ConfigFile,
): Promise<readonly PlannedEntry[]> {
  const planned: PlannedEntry[] = []
  for (const at of entriesIn(file.config, file.text)) {
    if (!isCordonEntry(at)) planned.push(await planEntry(deps, file, at, planned))
  }
  return planned
}

async function planEntry(
  deps: PlanClientDeps,
  file: ConfigFile,
  at: ConfigEntry,
  planned: readonly PlannedEntry[],
): Promise<PlannedEntry> {
  const twin = planned.find(
    (one) => one.at.name === at.name && isDeepStrictEqual(one.at.entry, at.entry),
  )
  if (twin) return { ...twin, at, plan: { ...twin.plan, ...projectOf(at) } }
  for (const name of namesFor(at.name, file.config.id)) {
    const report = await dryRun(deps, file, name, at)
    const [server] = report.servers
    if (!server) return { at, name, plan: stays(at, problemIn(report)) }
    if (planned.some(({ plan }) => plan.server === server.server)) continue
    const present = await presentLaunch(deps, server)
    if (present === undefined) return { at, name, plan: planOf(at, server) }
    if (present === launchOf(server.runs)) return { at, name, plan: isThere(at, server) }
  }
  return { at, name: at.name, plan: stays(at, 'Cordon has other servers under all of its names') }
}

/** Another server of Cordon's may have the name already: the entry then gets the client's name behind its own. */
function namesFor(name: string, client: string): readonly string[] {
  return [name, `${name}-${client}`, `${name}-${client}-2`, `${name}-${client}-3`]
}

async function dryRun(
  { definitions }: PlanClientDeps,
  { path }: ConfigFile,
  name: string,
  at: ConfigEntry,
): Promise<ImportReport> {
  const text = settingsOf([{ at, name }])
  return await definitions.migrate({ path, text, dryRun: true, backup: false, replace: true })
}

/** The entries as settings of their own, for `migrate`. Holds their tokens. */
export function settingsOf(entries: readonly Pick<PlannedEntry, 'at' | 'name'>[]): string {
  const own: Record<string, JsonObject> = {}
  const projects: Record<string, { mcpServers: Record<string, JsonObject> }> = {}
  for (const { at, name } of entries) {
    const { project } = projectOf(at)
    const table =
      project === undefined ? own : (projects[project] ??= { mcpServers: {} }).mcpServers
    table[name] = commonSpelling(at.entry)
  }
  return JSON.stringify({ mcpServers: own, projects })
}

/** Codex has words of its own for headers and for the variable that holds a token. */
function commonSpelling(entry: JsonObject): JsonObject {
  const { http_headers: headers, bearer_token_env_var: variable, ...rest } = entry
  return {
    ...rest,
    ...(headers !== undefined && { headers }),
    ...(variable !== undefined && { token_env: variable }),
  }
}

function projectOf({ place }: ConfigEntry): { readonly project?: string } {
  const [first, project] = place
  return first === 'projects' && project !== undefined ? { project } : {}
}

/** The launch of the definition that has the name now; undefined if there is none. */
async function presentLaunch(
  { homeFolder }: PlanClientDeps,
  { path }: ImportedServer,
): Promise<string | undefined> {
  const present = await readPlainFile(path)
  if (present === undefined) return undefined
  const reading = readDefinition(path, present.toString(), homeFolder)
  return reading.kind === 'problems' ? '' : launchOf(showLaunch(reading.definition))
}

/** Without credentials: the same server may have another name in the vault for its token. */
function launchOf(runs: string | undefined): string {
  return (runs ?? '').replace(/\S+=<[^>]*> /g, '')
}

function planOf(at: ConfigEntry, server: ImportedServer): EntryPlan {
  const { runs, installs, hosts = [], missing, waits, movedSecrets, notes } = server
  if (waits === 'unable') return stays(at, missing)
  return {
    name: at.name,
    ...projectOf(at),
    fate: 'moves',
    server: server.server,
    ...(runs !== undefined && { runs }),
    ...(installs !== undefined && { installs }),
    hosts,
    secrets: movedSecrets,
    needsSignIn: waits === 'sign-in',
    ...(missing !== undefined && { why: missing }),
    notes,
  }
}

function isThere(
  at: ConfigEntry,
  { server, runs, hosts = [], movedSecrets }: ImportedServer,
): EntryPlan {
  const isTokenLeft = movedSecrets.length > 0
  return {
    name: at.name,
    ...projectOf(at),
    fate: 'there',
    server,
    ...(runs !== undefined && { runs }),
    hosts,
    secrets: [],
    needsSignIn: false,
    notes: isTokenLeft
      ? ['its token in this file is not taken over: Cordon uses the one it has']
      : [],
  }
}

function stays(at: ConfigEntry, why: string | undefined): EntryPlan {
  return {
    name: at.name,
    ...projectOf(at),
    fate: 'stays',
    hosts: [],
    secrets: [],
    needsSignIn: false,
    ...(why !== undefined && { why }),
    notes: [],
  }
}

function problemIn({ problems }: ImportReport): string {
  return problems[0]?.message ?? 'it is no server that Cordon knows how to start'
}
