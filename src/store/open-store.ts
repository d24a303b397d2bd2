/**
 * Opens the tables: a SQLite file by default, PostgreSQL if a URL is given, the same queries on both. Never resets a
 * database it cannot read, never shows the password of a URL.
 */
import type { ApprovalRows, GrantRows } from '../kernel/approval-port.ts'
import type { SavedFlowRows, ScheduleRows } from '../kernel/flow-port.ts'
import type {
  Consents,
  DefinitionHashes,
  ImportJournal,
  Locks,
  Log,
  Notes,
  ProjectTrust,
  Sessions,
} from '../kernel/ports.ts'
import { createApprovals } from './approvals.ts'
import { createConsents } from './consents.ts'
import { createDefinitionHashes } from './definition-hashes.ts'
import type { Engine } from './engine.ts'
import { createSavedFlowRows } from './saved-flow-rows.ts'
import { createGrants } from './grants.ts'
import { createImportJournal } from './import-journal.ts'
import { createLocks } from './locks.ts'
import { migrate } from './migrations.ts'
import { createNotes } from './notes.ts'
import { createProjectTrust } from './project-trust.ts'
import { createSchedules } from './schedules.ts'
import { createSessions, forgetExpiredSessions } from './sessions.ts'
import { openSqlite } from './open-sqlite.ts'

export interface Store extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgresql'
  readonly projectTrust: ProjectTrust
  readonly consents: Consents
  readonly notes: Notes
  readonly locks: Locks
  readonly definitionHashes: DefinitionHashes
  readonly importJournal: ImportJournal
  readonly sessions: Sessions
  readonly approvals: ApprovalRows
  readonly grants: GrantRows
  readonly flows: SavedFlowRows
  readonly schedules: ScheduleRows
}

export interface StoreOptions {
  /** Selects PostgreSQL; the SQLite file is not touched then. */
  readonly databaseUrl?: string | undefined
  readonly sqlitePath: string
  readonly log: Log
}

export async function openStore(options: StoreOptions): Promise<Store> {
  await using stack = new AsyncDisposableStack()
  const engine = stack.use(await openEngine(options))
  await migrate(engine)
  await forgetExpiredSessions(engine.query, Date.now())
  const owned = stack.move() // from here on the caller owns the engine
  return {
    kind: engine.kind,
    projectTrust: createProjectTrust(engine.query),
    consents: createConsents(engine.query),
    notes: createNotes(engine.query),
    locks: createLocks(engine.query),
    definitionHashes: createDefinitionHashes(engine.query),
    importJournal: createImportJournal(engine.query),
    sessions: createSessions(engine.query),
    approvals: createApprovals(engine.query),
    grants: createGrants(engine.query),
    flows: createSavedFlowRows(engine.query),
    schedules: createSchedules(engine.query),
    async [Symbol.asyncDispose]() {
      await owned.disposeAsync().catch((error: unknown) => {
        options.log.warn('Cannot close the database', { error })
      })
    },
  }
}

async function openEngine({ databaseUrl, sqlitePath }: StoreOptions): Promise<Engine> {
  if (databaseUrl === undefined) return await openSqlite(sqlitePath)
  // Imported on demand: most homes never need PostgreSQL.
  const { openPostgres } = await import('./open-postgres.ts')
  return openPostgres(databaseUrl)
}
