/**
 * Reverts an import: created files are removed, replaced files are restored, its secrets are removed from the vault.
 * The journal has the intended changes and the disk the actual ones, so it also cleans up after an import that was
 * killed. Files that the owner has changed since are kept and reported.
 */
import { CordonError } from '../../kernel/error.ts'
import type { ImportedServer, ImportReport } from '../../kernel/import-report.ts'
import type { Audit, DefinitionHashes, Files, ImportJournal, Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import { hashBytes, readDefinitionFolder, readPlainFile } from '../definition-folder.ts'
import { type ImportRecord, parseImportRecord, type RecordedFile } from './import-record.ts'
import { namesSecret } from '../names-secret.ts'
import type { SourceFile } from './server-draft.ts'
import { backupRefs, unpackBackup } from './source-backup.ts'

export interface UndoDeps {
  readonly owner: PrincipalId
  readonly userFolder: string
  readonly files: Pick<Files, 'read' | 'write' | 'remove'>
  readonly hashes: Pick<DefinitionHashes, 'put' | 'forget'>
  readonly journal: Pick<ImportJournal, 'find' | 'markUndone'>
  readonly vault: Pick<Vault, 'remove' | 'lease'>
  readonly audit: Pick<Audit, 'appendDurable'>
}

export async function undoImport(
  deps: UndoDeps,
  importId: string | undefined,
): Promise<ImportReport> {
  const found = await deps.journal.find(importId)
  if (found === undefined) throw nothingToUndo(importId)
  const record = parseImportRecord(found.journal)
  const sources = await surveySources(deps, record)
  const copies = sources.missing.length > 0 ? await readBackup(deps, record) : []
  const lost = copies.filter(({ path }) => sources.missing.includes(path))
  await deps.audit.appendDurable({
    kind: 'servers.undo',
    principal: deps.owner,
    subject: found.id,
    details: { servers: record.files.map(({ server }) => server) },
  })
  const servers: ImportedServer[] = []
  for (const file of record.files) servers.push(await undoFile(deps, file))
  for (const { path, bytes } of lost) await deps.files.write(path, bytes)
  const isBackupDone = sources.changed.length === 0
  const notes = [
    ...lost.map(({ path }) => `${path} was missing and is back`),
    ...sources.changed.map((path) => `${path} has changed since, and stays as it is`),
    ...(await removeSecrets(deps, record, isBackupDone)),
  ]
  await deps.journal.markUndone(found.id)
  return { id: found.id, format: record.format, dryRun: false, servers, problems: [], notes }
}

async function undoFile(
  deps: UndoDeps,
  { server, path, hash, previous }: RecordedFile,
): Promise<ImportedServer> {
  const present = await readPlainFile(path)
  const done = (action: ImportedServer['action'], ...notes: string[]): ImportedServer => ({
    server,
    path,
    action,
    movedSecrets: [],
    notes,
  })
  if (previous !== undefined && present?.toString() === previous) return done('restored')
  if (present !== undefined && hashBytes(present) !== hash) {
    return done('kept', 'was changed by hand since, and stays as it is')
  }
  if (previous === undefined) {
    await deps.files.remove(path)
    await deps.hashes.forget(path)
    return done('removed')
  }
  await deps.hashes.put(path, hashBytes(previous))
  await deps.files.write(path, previous)
  return done('restored')
}

interface SourceSurvey {
  readonly missing: readonly string[]
  readonly changed: readonly string[]
}

/** Without a backup nothing can be restored, so the sources are not checked. */
async function surveySources(deps: UndoDeps, record: ImportRecord): Promise<SourceSurvey> {
  const missing: string[] = []
  const changed: string[] = []
  for (const { path, hash } of record.backup.length > 0 ? record.sources : []) {
    const bytes = await deps.files.read(path)
    if (bytes === undefined) missing.push(path)
    else if (hashBytes(bytes) !== hash) changed.push(path)
  }
  return { missing, changed }
}

async function readBackup(deps: UndoDeps, record: ImportRecord): Promise<readonly SourceFile[]> {
  const { signal } = new AbortController()
  await using lease = await deps.vault.lease(deps.owner, backupRefs(record.backup), signal)
  return unpackBackup(record.backup, lease)
}

/** Keeps a secret that a remaining definition names, and the backup of a source that has changed. */
async function removeSecrets(
  deps: UndoDeps,
  record: ImportRecord,
  isBackupDone: boolean,
): Promise<readonly string[]> {
  const remaining = await readDefinitionFolder(deps.userFolder)
  const isNamed = (secret: string): boolean =>
    remaining.some(({ content }) => namesSecret(content.toString(), secret))
  const kept = record.secrets.filter(isNamed)
  const copies = isBackupDone ? record.backup : []
  for (const name of [...record.secrets.filter((secret) => !kept.includes(secret)), ...copies]) {
    await deps.vault.remove(deps.owner, name)
  }
  const keptCopies = isBackupDone ? [] : record.backup
  return [
    ...kept.map((name) => `secret ${name} stays in the vault: a definition uses it`),
    ...keptCopies.map((name) => `the copy of the original stays in the vault as ${name}`),
  ]
}

function nothingToUndo(importId: string | undefined): CordonError {
  const what = importId === undefined ? 'an import' : `import ${JSON.stringify(importId)}`
  return new CordonError(
    'servers.no-import',
    { exit: 2, hint: 'Name the id that `cordon mcp migrate` printed' },
    `Cannot undo ${what}: there is none that was not undone`,
  )
}
