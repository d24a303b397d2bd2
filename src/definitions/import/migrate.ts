/**
 * Imports the servers of another program. The order makes it crash-safe: plan, journal, audit, vault, files. Every
 * change is in the journal before it is made, so `undo` can always revert it. The source is never changed.
 */
import { randomBytes } from 'node:crypto'
import { CordonError } from '../../kernel/error.ts'
import type { ImportedServer, ImportReport, ImportRequest } from '../../kernel/import-report.ts'
import type { Audit, DefinitionHashes, Files, ImportJournal, Vault } from '../../kernel/ports.ts'
import { hashBytes } from '../definition-folder.ts'
import { showImportRecord } from './import-record.ts'
import { type ImportSource, readImportSource, readPastedSource } from './import-source.ts'
import { type PlannedServer, type PlanDeps, planImport } from './plan-import.ts'
import { type BackupPart, packBackup } from './source-backup.ts'

export interface MigrateDeps extends PlanDeps {
  readonly files: Pick<Files, 'write'>
  readonly hashes: Pick<DefinitionHashes, 'put'>
  readonly journal: Pick<ImportJournal, 'add'>
  readonly vault: Pick<Vault, 'status' | 'has' | 'set'>
  readonly audit: Pick<Audit, 'appendDurable'>
}

export async function migrate(deps: MigrateDeps, request: ImportRequest): Promise<ImportReport> {
  const { path, text } = request
  const source =
    text === undefined ? await readImportSource(path) : await readPastedSource(path, text)
  const plan = await planImport(deps, source.drafts, request)
  const changed = plan.servers.filter(({ change }) => change !== undefined)
  const id = idOf(request)
  const backup = request.backup && changed.length > 0 ? packBackup(id, source.files) : []
  const secrets = [...changed.flatMap(secretNames), ...backup.map(({ name }) => name)]
  const obstacle = secrets.length > 0 ? await vaultObstacle(deps.vault) : undefined
  const report: ImportReport = {
    id,
    format: source.format,
    dryRun: request.dryRun,
    servers: plan.servers.map(describe),
    problems: [...source.problems, ...plan.problems],
    notes: [...sourceNotes(source, changed), ...(obstacle ? [`first: ${obstacle.hint}`] : [])],
  }
  if (request.dryRun || changed.length === 0) return report
  if (obstacle) throw obstacle
  await writeDown(deps, { id, source, changed, backup, path: request.path })
  await storeSecrets(deps, changed, backup)
  await writeFiles(deps, changed)
  return report
}

function idOf({ dryRun, id }: ImportRequest): string {
  return dryRun ? 'dry-run' : (id ?? randomBytes(4).toString('hex'))
}

interface Import {
  readonly id: string
  readonly path: string
  readonly source: ImportSource
  readonly changed: readonly PlannedServer[]
  readonly backup: readonly BackupPart[]
}

/** Writes journal and audit record; every later step can be reverted from the journal. */
async function writeDown(
  deps: MigrateDeps,
  { id, path, source, changed, backup }: Import,
): Promise<void> {
  const secrets = changed.flatMap(secretNames)
  const record = showImportRecord({
    version: 1,
    format: source.format,
    files: changed.map(({ server, path: file, change }) => ({
      server,
      path: file,
      hash: hashBytes(change?.text ?? ''),
      ...(change?.previous !== undefined && { previous: change.previous }),
    })),
    secrets,
    backup: backup.map(({ name }) => name),
    sources: source.files.map((file) => ({ path: file.path, hash: hashBytes(file.bytes) })),
  })
  await deps.journal.add(id, record)
  const servers = changed.map(({ server }) => server)
  await deps.audit.appendDurable({
    kind: 'servers.import',
    principal: deps.owner,
    subject: path,
    details: { id, format: source.format, servers, secrets, backup: backup.length > 0 },
  })
}

async function storeSecrets(
  deps: MigrateDeps,
  changed: readonly PlannedServer[],
  backup: readonly BackupPart[],
): Promise<void> {
  const secrets = changed.flatMap(({ change }) => change?.secrets ?? [])
  const parts = secrets.map(({ name, value }) => ({ name, bytes: Buffer.from(value) }))
  for (const { name, bytes } of [...parts, ...backup]) {
    await deps.vault.set(deps.owner, name, bytes)
    bytes.fill(0)
  }
}

/** The hash is stored first: a file without a stored hash would look like a hand edit. */
async function writeFiles(deps: MigrateDeps, changed: readonly PlannedServer[]): Promise<void> {
  for (const { path, change } of changed) {
    if (change === undefined) continue
    await deps.hashes.put(path, hashBytes(change.text))
    await deps.files.write(path, change.text)
  }
}

/** The error if the vault cannot store secrets now. Checked before anything is written. */
async function vaultObstacle(vault: Pick<Vault, 'status'>): Promise<CordonError | undefined> {
  const { state } = await vault.status()
  if (state !== 'locked') return undefined // a vault that is not there yet is made with its first secret
  return new CordonError(
    'servers.vault-needed',
    { exit: 4, hint: 'Run `cordon vault unlock`, then try again' },
    'Cannot import: it has secrets for the vault, which is locked',
  )
}

function describe(planned: PlannedServer): ImportedServer {
  const { server, path, notes, change } = planned
  const { runs, installs, hosts, missing, waits } = planned
  const written = change?.previous === undefined ? 'created' : 'replaced'
  const action = change === undefined ? 'kept' : written
  const shown = {
    ...(runs !== undefined && { runs }),
    ...(installs !== undefined && { installs }),
    ...(hosts !== undefined && { hosts }),
    ...(missing !== undefined && { missing }),
    ...(waits !== undefined && { waits }),
  }
  return { server, path, action, ...shown, movedSecrets: secretNames(planned), notes }
}

function secretNames({ change }: PlannedServer): readonly string[] {
  return change?.secrets.map(({ name }) => name) ?? []
}

function sourceNotes(source: ImportSource, changed: readonly PlannedServer[]): readonly string[] {
  const { files, notes = [] } = source
  if (changed.flatMap(secretNames).length === 0 || files.length === 0) return notes
  const paths = files.map(({ path }) => path).join(', ')
  return [
    ...notes,
    `delete or clean what still holds tokens in plain text, once everything works: ${paths}`,
  ]
}
