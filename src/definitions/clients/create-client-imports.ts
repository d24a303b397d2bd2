/**
 * The `ClientImports` port. The order makes a move crash-safe: note, audit, backup in the vault, registration,
 * definitions, and the client's file last, replaced in one step. After a kill the file is the old or the new one, and
 * the note says what to take back.
 */
import { randomBytes } from 'node:crypto'
import { dirname } from 'node:path'
import { CordonError } from '../../kernel/error.ts'
import type { Audit, Definitions, Notes, Vault } from '../../kernel/ports.ts'
import type { SharedFiles } from '../../ports/shared-files-port.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type {
  ClientImports,
  ClientMove,
  ClientPlan,
  FoundClient,
  StartLine,
} from '../../ports/client-import-port.ts'
import type { Clients } from '../../ports/client-port.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'
import { hashBytes } from '../definition-folder.ts'
import { packBackup } from '../import/source-backup.ts'
import { type ClientConfig, type ConfigFolders, configsAt } from './client-configs.ts'
import {
  changedMeanwhile,
  clientNamed,
  type ConfigFile,
  NO_FILE,
  placeOf,
  readConfigFile,
  replaceConfigFile,
} from './config-file.ts'
import { type ConfigEdit, editConfig, entriesIn } from './edit-config.ts'
import { cordonEntry, cordonPlace, isCordonEntry, startLineIn } from './cordon-entry.ts'
import { lastMove, MOVE_KIND, type MoveRecord, parseMoves } from './move-record.ts'
import { risksOf } from './client-config-checks.ts'
import { type PlannedEntry, planEntries, settingsOf } from './plan-entries.ts'
import { stateOf, undoMove } from './undo-move.ts'

export interface ClientImportDeps {
  readonly owner: PrincipalId
  readonly folders: ConfigFolders
  readonly homeFolder: string
  readonly definitions: Pick<Definitions, 'migrate' | 'undo'>
  readonly clients: Pick<Clients, 'add' | 'list' | 'remove'>
  readonly notes: Notes
  readonly files: Pick<SharedFiles, 'read' | 'replace' | 'remove'>
  readonly vault: Pick<Vault, 'status' | 'set' | 'remove' | 'lease'>
  readonly audit: Pick<Audit, 'appendDurable'>
  /** Removes what a killed process left half-written in a folder. */
  sweep(folder: string): Promise<void>
  startLine(client: string): StartLine
  /** Starts a line as a client would, and counts the tools that it lists. */
  tryLine(line: StartLine, signal: AbortSignal): Promise<{ readonly tools: number }>
}

export function createClientImports(deps: ClientImportDeps): ClientImports {
  const serially = createSerialQueue()
  const at = (project: string | undefined): ClientImportDeps =>
    project === undefined ? deps : { ...deps, folders: { ...deps.folders, project } }
  return {
    find: (folder) => serially(() => findClients(at(folder))),
    plan: ({ client, folder }) => serially(async () => (await prepare(at(folder), client)).plan),
    move: ({ client, folder }, seen) => serially(() => move(at(folder), client, seen)),
    undo: ({ client, folder }, options) => serially(() => undoMove(at(folder), client, options)),
    check: ({ client, folder }, signal) => check(at(folder), client, signal),
  }
}

async function findClients(deps: ClientImportDeps): Promise<readonly FoundClient[]> {
  const moves = parseMoves(await deps.notes.list(MOVE_KIND))
  return await Promise.all(
    configsAt(deps.folders).map(async (config): Promise<FoundClient> => {
      const { id, name, isOfProject } = config
      const path = placeOf(config, deps.folders)
      const about = { id, name, path, ...(isOfProject && { isOfProject }) }
      const canUndo = lastMove(moves, config, path) !== undefined
      const nothing = { exists: false, isConnected: false, servers: [], risks: [], canUndo }
      try {
        const file = await readConfigFile(config, path, deps.files)
        return { ...about, ...nothing, exists: file.mode !== undefined, ...serversOf(file) }
      } catch (error) {
        if (!(error instanceof CordonError)) throw error
        return { ...about, ...nothing, exists: true, problem: error.message }
      }
    }),
  )
}

function serversOf({
  config,
  text,
}: ConfigFile): Pick<FoundClient, 'isConnected' | 'servers' | 'risks'> {
  const entries = entriesIn(config, text)
  const others = entries.filter((entry) => !isCordonEntry(entry))
  const servers = [...new Set(others.map(({ name }) => name))]
  return { isConnected: entries.some(isCordonEntry), servers, risks: risksOf(others) }
}

interface Prepared {
  readonly file: ConfigFile
  readonly plan: ClientPlan
  readonly moving: readonly PlannedEntry[]
  readonly edit: ConfigEdit
}

async function prepare(deps: ClientImportDeps, client: string): Promise<Prepared> {
  const config = clientNamed(client, deps.folders)
  const file = await readConfigFile(config, placeOf(config, deps.folders), deps.files)
  const planned = await planEntries(deps, file)
  const gone = planned.filter(({ plan }) => plan.fate !== 'stays')
  const starts = deps.startLine(client)
  const edit = editFor(config, file, gone, starts)
  const isRegistered = (await deps.clients.list()).some(({ name }) => name === client)
  const plan: ClientPlan = {
    client,
    name: config.name,
    path: file.path,
    seen: file.hash,
    entries: planned.map((one) => one.plan),
    starts,
    isNewFile: file.mode === undefined,
    registers: !isRegistered,
    isDone: edit.put.length === 0 && edit.remove.length === 0,
    ...(config.isOfProject && { isOfProject: true }),
  }
  const moving = gone.filter(({ plan: { fate } }) => fate === 'moves')
  return { file, plan, moving, edit }
}

function editFor(
  config: ClientConfig,
  { text }: ConfigFile,
  gone: readonly PlannedEntry[],
  starts: StartLine,
): ConfigEdit {
  const entries = entriesIn(config, text)
  const remove = gone.map(({ at }) => at.place)
  const put = { place: cordonPlace(config, entries), entry: cordonEntry(config, starts) }
  return { remove, put: entries.some(isCordonEntry) ? [] : [put] }
}

async function move(deps: ClientImportDeps, client: string, seen: string): Promise<ClientMove> {
  await clearKilled(deps, client)
  const prepared = await prepare(deps, client)
  const { file, plan, moving, edit } = prepared
  if (file.hash !== seen) throw changedMeanwhile(plan)
  const id = randomBytes(4).toString('hex')
  const moved = { ...plan, id, startable: startableIn(plan) }
  if (plan.isDone) return moved
  const text = editConfig(file.config, file.text, edit)
  await refuseLocked(deps)
  await deps.sweep(dirname(file.path))
  await writeDown(deps, prepared, id, text)
  if (plan.registers) await deps.clients.add({ name: client, taint: 'ask' })
  if (moving.length > 0) {
    const settings = settingsOf(moving)
    const request = { id, path: file.path, text: settings, dryRun: false }
    await deps.definitions.migrate({ ...request, backup: false, replace: false })
  }
  if (await replaceConfigFile(file, text, file.mode, deps.files)) return moved
  await undoMove(deps, client, { merge: false, isUnwritten: true })
  throw changedMeanwhile(plan)
}

/** Projects may name the same server. */
function startableIn({ entries }: ClientPlan): ClientMove['startable'] {
  const moving = entries.filter(({ fate, why }) => fate === 'moves' && why === undefined)
  const once = new Map(moving.map(({ server = '', installs }) => [server, installs]))
  return [...once].map(([server, installs]) => ({
    server,
    ...(installs !== undefined && { installs }),
  }))
}

/** A move that was killed before it came to the file is taken back, so that one undo restores everything. */
async function clearKilled(deps: ClientImportDeps, client: string): Promise<void> {
  const moves = parseMoves(await deps.notes.list(MOVE_KIND))
  const config = clientNamed(client, deps.folders)
  const { path } = await readConfigFile(config, placeOf(config, deps.folders), deps.files)
  const last = lastMove(moves, config, path)
  if (!last) return
  const now = await readConfigFile(config, last.path, deps.files)
  if (stateOf(last, now) === 'before') await undoMove(deps, client, { merge: false })
}

/** The note, the record and the backup: every later step can be taken back. */
async function writeDown(
  { notes, vault, audit, owner }: ClientImportDeps,
  { file, plan, edit }: Prepared,
  id: string,
  text: string,
): Promise<void> {
  const parts = file.hash === NO_FILE ? [] : packBackup(id, [file])
  const earlier = parseMoves(await notes.list(MOVE_KIND))
  const [put] = edit.put
  const record: MoveRecord = {
    version: 1,
    id,
    number: (earlier.at(-1)?.number ?? 0) + 1,
    client: plan.client,
    path: file.path,
    before: file.hash,
    after: hashBytes(text),
    ...(file.mode !== undefined && { mode: file.mode }),
    backup: parts.map(({ name }) => name),
    removed: edit.remove,
    ...(put && { put: put.place }),
    registers: plan.registers,
  }
  await notes.put(MOVE_KIND, id, JSON.stringify(record))
  const servers = plan.entries.filter(({ fate }) => fate !== 'stays').map(({ name }) => name)
  await audit.appendDurable({
    kind: 'clients.moved',
    principal: owner,
    subject: plan.client,
    details: { id, path: file.path, servers },
  })
  for (const { name, bytes } of parts) {
    await vault.set(owner, name, bytes)
    bytes.fill(0)
  }
}

/** Checked before anything is changed: the original is kept in the vault, since it may hold tokens. */
async function refuseLocked({ vault }: ClientImportDeps): Promise<void> {
  if ((await vault.status()).state !== 'locked') return
  throw new CordonError(
    'servers.vault-needed',
    { exit: 4, hint: 'Run `cordon vault unlock`, then try again' },
    'Cannot import: the original is kept in the vault, which is locked',
  )
}

async function check(
  deps: ClientImportDeps,
  client: string,
  signal: AbortSignal,
): Promise<{ readonly tools: number }> {
  const config = clientNamed(client, deps.folders)
  const { text } = await readConfigFile(config, placeOf(config, deps.folders), deps.files)
  const entry = entriesIn(config, text).find(isCordonEntry)
  if (!entry) {
    throw new CordonError(
      'clients.not-connected',
      { exit: 2, hint: `Run \`cordon install ${client}\`` },
      `Cannot check ${config.name}: its configuration does not start Cordon`,
    )
  }
  return await deps.tryLine(startLineIn(entry), signal)
}
