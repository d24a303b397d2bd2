/**
 * Computes an import completely before anything is changed: which files, which texts, which secrets. Only reads. Every
 * planned text loads as a definition; a server whose text would not load is reported instead.
 */
import { join } from 'node:path'
import type { Catalog } from '../../ports/catalog-port.ts'
import { CordonError } from '../../kernel/error.ts'
import type { ImportedServer, ImportRequest } from '../../kernel/import-report.ts'
import type { Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { DefinitionProblem, ServerDefinition } from '../../kernel/server-definition.ts'
import { isServerId, type ServerId, serverIdFor } from '../../kernel/server-id.ts'
import { foreignReferences } from '../foreign-references.ts'
import { readDefinition } from '../read-definition.ts'
import { readPlainFile } from '../definition-folder.ts'
import { readTomlText } from './read-toml-text.ts'
import { holdsKnownToken } from '../../text/looks-secret.ts'
import { type CompletedDraft, completeDraft } from './complete-draft.ts'
import { missingProgram, unseenFolder } from './missing-program.ts'
import type { ImportedSecret } from './imported-secrets.ts'
import type { ServerDraft } from './server-draft.ts'
import { renderSettled, type SettledDraft, settleDraft } from './settle-draft.ts'
import { showLaunch } from '../show-launch.ts'

export interface PlanDeps {
  readonly owner: PrincipalId
  readonly userFolder: string
  readonly homeFolder: string
  readonly vault: Pick<Vault, 'has'>
  readonly catalog: Pick<Catalog, 'parseLaunch'>
}

export interface PlannedServer {
  readonly server: ServerId
  readonly path: string
  readonly notes: readonly string[]
  /** The command it would run, or its url. */
  readonly runs?: string
  /** The package that is installed at the first start. */
  readonly installs?: string
  /** The hosts that it may reach. */
  readonly hosts?: readonly string[]
  /** The reason why the server cannot run yet. */
  readonly missing?: string
  readonly waits?: ImportedServer['waits']
  /** Absent if the existing file stays unchanged. */
  readonly change?: PlannedChange
}

export interface PlannedChange {
  readonly text: string
  /** The text of the file that is replaced. */
  readonly previous?: string
  readonly secrets: readonly ImportedSecret[]
}

export interface ImportPlan {
  readonly servers: readonly PlannedServer[]
  readonly problems: readonly DefinitionProblem[]
}

export async function planImport(
  deps: PlanDeps,
  drafts: readonly ServerDraft[],
  request: Pick<ImportRequest, 'path' | 'replace' | 'onlyPackages'>,
): Promise<ImportPlan> {
  const servers: PlannedServer[] = []
  const problems: DefinitionProblem[] = []
  const ids = new Set<string>()
  for (const draft of drafts) {
    const server = freeId(draft.name, ids)
    ids.add(server)
    const completed = completeDraft(deps.catalog, draft)
    const isRefused = request.onlyPackages === true && namesProgram(completed)
    const planned = isRefused
      ? [OF_THIS_MACHINE]
      : await planServer(deps, { completed, server, replace: request.replace }).catch(unsayable)
    if (Array.isArray(planned)) {
      const about = `server ${JSON.stringify(server)}: `
      problems.push(...planned.map((message) => ({ path: request.path, message: about + message })))
    } else servers.push(planned)
  }
  return { servers, problems }
}

interface Case {
  readonly completed: CompletedDraft
  readonly server: ServerId
  readonly replace: boolean
}

/** The server's plan, or the problems that prevent one. */
async function planServer(
  deps: PlanDeps,
  { completed, server, replace }: Case,
): Promise<PlannedServer | string[]> {
  const path = join(deps.userFolder, `${server}.toml`)
  const present = await readPlainFile(path)
  const kept = replace ? reasonToKeep(present, server) : alreadyThere(present)
  if (kept !== undefined) return { server, path, notes: [kept] }
  const { draft } = completed
  const settled = await settleUnderFreeNames(deps, draft, server)
  const previous = present?.toString()
  const text = renderSettled(settled, draft.text ?? previous)
  if (text === undefined) return ['expected no token outside of its credentials']
  const reading = readDefinition(path, text, deps.homeFolder)
  if (reading.kind === 'problems') return reading.problems.map(({ message }) => message)
  const refusals = refusalsOf(reading.definition, settled.secrets)
  if (refusals.length > 0) return refusals
  const secrets = await secretNotes(deps, settled.wanted)
  const change = { text, secrets: settled.secrets, ...(previous !== undefined && { previous }) }
  const { definition } = reading
  const blocked = [...todo(completed), ...settled.blocked].map((text) => unable(text))
  const wanted = secrets.wanted.map((missing): Step => ({ missing, waits: 'secret' }))
  const [step, ...later] = [...blocked, ...wanted]
  return {
    server,
    path,
    notes: [...settled.notes, ...secrets.borrowed, ...later.map(({ missing }) => missing)],
    ...outlook(completed, step, definition),
    change,
  }
}

/** The reason why a server cannot run yet. */
type Step = Required<Pick<ImportedServer, 'missing' | 'waits'>>

function unable(missing: string): Step {
  return { missing, waits: 'unable' }
}

function refusalsOf(definition: ServerDefinition, secrets: readonly ImportedSecret[]): string[] {
  const brought = secrets.map(({ name }) => name)
  const tooLong = secrets.some(isTooLong) ? ['expected secrets of at most 64 KiB'] : []
  return [...foreignReferences(definition, brought), ...tooLong]
}

/** A program of this machine, rather than a package, an address, or a line that is only kept. */
function namesProgram({ draft, installs, missing }: CompletedDraft): boolean {
  return draft.url === undefined && installs === undefined && missing === undefined
}

const OF_THIS_MACHINE =
  'it names a program of this machine, which only `cordon connect` in a terminal takes'

function todo({ missing }: CompletedDraft): readonly string[] {
  return missing === undefined ? [] : [missing]
}

/** The launch of the planned server, its hosts, and the reason why it cannot run yet. */
function outlook(
  completed: CompletedDraft,
  step: Step | undefined,
  definition: ServerDefinition,
): Pick<PlannedServer, 'runs' | 'hosts' | 'installs' | 'missing' | 'waits'> {
  const { installs } = completed
  return {
    runs: showLaunch(definition),
    hosts: definition.allowedDomains,
    ...(installs !== undefined && { installs }),
    ...(step ?? missingOf(completed, definition)),
  }
}

function missingOf(
  { installs, wantsSignIn = false, knowsFolders = false }: CompletedDraft,
  definition: ServerDefinition,
): Step | undefined {
  const { id, enabled } = definition
  if (!enabled)
    return { missing: `It is switched off: run \`cordon mcp enable ${id}\`.`, waits: 'off' }
  if (wantsSignIn) return { missing: `Sign in: run \`cordon connect ${id}\`.`, waits: 'sign-in' }
  const program = installs === undefined ? missingProgram(definition) : undefined
  if (program !== undefined) return unable(program)
  const missing = knowsFolders ? undefined : unseenFolder(definition)
  return missing === undefined ? undefined : { missing, waits: 'folders' }
}

/** Some JSON values cannot be written as TOML; such a server is reported, and the import continues with the others. */
function unsayable(error: unknown): string[] {
  if (error instanceof CordonError && error.code === 'servers.toml-edit') return [error.message]
  throw error
}

/** The vault's limit for one secret. */
function isTooLong({ value }: ImportedSecret): boolean {
  return Buffer.byteLength(value) > 64 * 1024
}

/** Notes about secrets that are missing, and about secrets in the vault that the server would borrow. */
async function secretNotes(
  deps: PlanDeps,
  names: readonly string[],
): Promise<{ readonly borrowed: readonly string[]; readonly wanted: readonly string[] }> {
  const borrowed: string[] = []
  const wanted: string[] = []
  for (const name of new Set(names)) {
    if (await deps.vault.has(deps.owner, name)) {
      borrowed.push(`borrows the secret ${name}, which is in your vault already`)
    } else wanted.push(`It needs a secret: run \`cordon vault set ${name}\`.`)
  }
  return { borrowed, wanted }
}

function alreadyThere(present: Buffer | string | undefined): string | undefined {
  return present === undefined
    ? undefined
    : 'is defined already; import with --replace to replace it'
}

/** The journal stores the replaced text and never a secret, so a file with a plain-text secret is not replaced. */
function reasonToKeep(present: Buffer | string | undefined, server: ServerId): string | undefined {
  if (present === undefined) return undefined
  if (typeof present === 'string') return `cannot be replaced: ${present}`
  const text = present.toString()
  const { drafts } = readTomlText(server, text)
  const found = drafts.flatMap((draft) => settleDraft(draft, server, () => false).secrets)
  if (found.length === 0 && !holdsKnownToken(text)) return undefined
  return 'cannot be replaced: it holds a secret in plain text, of which Cordon makes no copy'
}

/** Repeats until every secret has a name that is free in the vault, so that no stored secret is overwritten. */
async function settleUnderFreeNames(
  deps: PlanDeps,
  draft: ServerDraft,
  server: ServerId,
): Promise<SettledDraft> {
  const taken = new Set<string>()
  for (;;) {
    const settled = settleDraft(draft, server, (name) => taken.has(name))
    const before = taken.size
    for (const { name } of settled.secrets) {
      if (await deps.vault.has(deps.owner, name)) taken.add(name)
    }
    if (taken.size === before) return settled
  }
}

/** The slug of the name, with a number appended if another server of this import has it. */
function freeId(name: string, used: ReadonlySet<string>): ServerId {
  const wanted = slugOf(name)
  for (let count = 1; ; count += 1) {
    const suffix = count === 1 ? '' : `-${count}`
    const id = wanted.slice(0, 63 - suffix.length) + suffix
    if (!used.has(id) && isServerId(id)) return id
  }
}

function slugOf(name: string): string {
  if (isServerId(name)) return name
  try {
    return serverIdFor(name)
  } catch {
    return 'server'
  }
}
