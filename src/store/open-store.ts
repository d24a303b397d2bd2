/**
 * Opens the tables: a SQLite file by default, PostgreSQL if a URL is given, the same queries on both. Never resets a
 * database it cannot read, never shows the password of a URL.
 */
import type { ApprovalRows, GrantRows } from '../kernel/approval-port.ts'
import type { SavedFlowRows } from '../ports/saved-flow-port.ts'
import type { ScheduleRows } from '../ports/schedule-port.ts'
import type { KeptLabels } from '../kernel/kept-labels.ts'
import type {
  Consents,
  DefinitionHashes,
  ImportJournal,
  Locks,
  Log,
  Notes,
  ProjectTrust,
} from '../kernel/ports.ts'
import type { SwappedNotes } from '../ports/swapped-notes-port.ts'
import type { Sessions } from '../ports/session-port.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import { createApprovals } from './approvals.ts'
import { createConsents } from './consents.ts'
import { createDefinitionHashes } from './definition-hashes.ts'
import { openDatabaseClock } from './database-clock.ts'
import type { Engine } from './engine.ts'
import { createSavedFlowRows } from './saved-flow-rows.ts'
import { createGrants } from './grants.ts'
import { createImportJournal } from './import-journal.ts'
import { createKeptLabels } from './kept-labels.ts'
import { createLocks } from './locks.ts'
import { createMemoryRows, type MemoryRows } from './memory-rows.ts'
import { migrate } from './migrations.ts'
import { createNotes } from './notes.ts'
import { createNotices, type NoticeRows } from './notices.ts'
import { createProjectTrust } from './project-trust.ts'
import { createSchedules } from './schedules.ts'
import { createSessions, forgetExpiredSessions } from './sessions.ts'
import { openSqlite } from './open-sqlite.ts'

export interface Store extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgresql'
  /** The time that all kernels of the database share; times in rows are made and compared with it. */
  readonly now: () => number
  readonly locks: Locks
  readonly sessions: Sessions
  readonly approvals: ApprovalRows
  readonly grants: GrantRows
  /** The tables of rooms that are opened for one principal. No row of another principal is ever read or written. */
  forOwner(owner: PrincipalId): OwnerTables
}

export interface OwnerTables {
  readonly projectTrust: ProjectTrust
  readonly consents: Consents
  readonly notes: SwappedNotes
  /** The same notes, written as `Engine.queryUnsynced` says. */
  readonly unsyncedNotes: Notes
  readonly definitionHashes: DefinitionHashes
  readonly importJournal: ImportJournal
  readonly flows: SavedFlowRows
  readonly schedules: ScheduleRows
  readonly keptLabels: KeptLabels
  readonly notices: NoticeRows
  readonly memory: MemoryRows
  /** As `Engine.stamp` says; of the rows of all principals. */
  readonly stamp: Engine['stamp']
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
  const clock = stack.use(await openDatabaseClock(engine))
  const now = (): number => clock.now()
  await forgetExpiredSessions(engine.query, now())
  const owned = stack.move() // from here on the caller owns the engine
  return {
    kind: engine.kind,
    now,
    locks: createLocks(engine.query, now),
    sessions: createSessions(engine.query),
    approvals: createApprovals(engine.query),
    grants: createGrants(engine.query),
    forOwner: (owner) => tablesOf(engine, owner),
    async [Symbol.asyncDispose]() {
      await owned.disposeAsync().catch((error: unknown) => {
        options.log.warn('Cannot close the database', { error })
      })
    },
  }
}

function tablesOf({ query, queryUnsynced, stamp }: Engine, owner: PrincipalId): OwnerTables {
  return {
    projectTrust: createProjectTrust(query, owner),
    consents: createConsents(query, owner),
    notes: createNotes(query, owner),
    unsyncedNotes: createNotes(queryUnsynced, owner),
    definitionHashes: createDefinitionHashes(query, owner),
    importJournal: createImportJournal(query, owner),
    flows: createSavedFlowRows(query, owner),
    schedules: createSchedules(query, owner),
    keptLabels: createKeptLabels(query, owner),
    notices: createNotices(query, owner),
    memory: createMemoryRows(query, queryUnsynced, owner),
    stamp,
  }
}

async function openEngine({ databaseUrl, sqlitePath }: StoreOptions): Promise<Engine> {
  if (databaseUrl === undefined) return await openSqlite(sqlitePath)
  // Imported on demand: most homes never need PostgreSQL.
  const { openPostgres } = await import('./open-postgres.ts')
  return openPostgres(databaseUrl)
}
