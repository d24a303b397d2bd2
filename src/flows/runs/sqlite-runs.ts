/**
 * Runs in a SQLite file of their own. The lock of the home guarantees that no other process uses the file, so the runs
 * of a process that died are freed when the file is opened.
 */
import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { BackendSqlite } from 'openworkflow/sqlite'
import { remembered } from '../../text/remembered.ts'
import { explainSqlite } from './run-errors.ts'
import {
  BEFORE_REOPENING,
  NAMESPACE,
  type NotedStep,
  type Owner,
  type RunTable,
  WORKFLOW,
} from './run-table.ts'
import { openWalSync, type WalSync } from './wal-sync.ts'

const BUSY_MS = 5000
const LONGEST_STATEMENT = 4000
/**
 * A checkpoint waits for the disk while nothing else runs in the process. Most pages in the log are the same few, written
 * again and again, so one of 16 MB takes hardly longer than one of 4 MB, and comes a quarter as often.
 */
const LOG_PAGES = 4000
/** The states of a run that has not ended. */
const OPEN = "'pending', 'running', 'sleeping'"

export async function openSqliteRuns(path: string): Promise<RunTable> {
  const explain = (error: unknown): unknown => explainSqlite(path, error)
  try {
    return { ...(await open(path)), explain }
  } catch (error) {
    throw explain(error)
  }
}

async function open(path: string): Promise<Omit<RunTable, 'explain'>> {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600))
  chmodSync(path, 0o600)
  const connected = BackendSqlite.connect(path)
  // Also for SQL of our own: a second connection would read the file anew after every write of this one.
  const { db: database } = connected as unknown as { readonly db: DatabaseSync }
  prepareConnection(database)
  releaseAll(database)
  const wal = await openWalSync(path)
  const backend = withSyncedWrites(connected, database, wal)
  return {
    backend,
    claim: claimingFrom(database, backend),
    addSteps: async (owner, steps) => addSteps(database, owner, steps),
    create: (run, input) =>
      backend.createWorkflowRun({
        workflowName: WORKFLOW,
        version: null,
        idempotencyKey: run,
        config: {},
        context: null,
        input,
        parentStepAttemptNamespaceId: null,
        parentStepAttemptId: null,
        availableAt: null,
        deadlineAt: null,
      }),
    sync: () => wal.sync(),
    syncSoon: () => wal.syncSoon(),
    ...reading(database),
    async answer(signal, data) {
      const { workflowRunIds } = await backend.sendSignal({ signal, data, idempotencyKey: null })
      return workflowRunIds.length > 0
    },
    async reopen(run) {
      const isReopened = reopen(database, run)
      await wal.sync()
      return isReopened
    },
    ...forgetting(database),
    async close() {
      await wal.close()
      await backend.stop()
    },
  }
}

/** Statements are kept: openworkflow prepares each anew at every use, which takes longer than most of them run. */
function prepareConnection(database: DatabaseSync): void {
  database.enableDefensive(true)
  database.exec(
    `PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA synchronous = NORMAL; PRAGMA trusted_schema = OFF;
     PRAGMA foreign_keys = ON; PRAGMA wal_autocheckpoint = ${LOG_PAGES}`,
  )
  const prepare = database.prepare.bind(database)
  database.prepare = remembered((text) => prepare(text), LONGEST_STATEMENT)
}

/** Looks before it claims: a claim is a transaction, and most find nothing. */
function claimingFrom(database: DatabaseSync, backend: BackendSqlite): RunTable['claim'] {
  const due = database.prepare(
    `SELECT 1 FROM workflow_runs WHERE namespace_id = ? AND status IN (${OPEN}) AND available_at <= ?
     LIMIT 1`,
  )
  return async (workerId, leaseDurationMs) => {
    if (!due.get(NAMESPACE, new Date().toISOString())) return null
    return await backend.claimWorkflowRun({ workerId, leaseDurationMs })
  }
}

function reading(database: DatabaseSync): Pick<RunTable, 'idOf' | 'idsOfOpen' | 'countOpen'> {
  const idOf = database.prepare(
    `SELECT id FROM workflow_runs
     WHERE namespace_id = ? AND workflow_name = ? AND idempotency_key = ?`,
  )
  // `+`: by an index on the time all runs would be read to find the few open ones.
  const open = database.prepare(
    `SELECT id FROM workflow_runs WHERE namespace_id = ? AND workflow_name = ?
       AND status IN (${OPEN}) ORDER BY +created_at DESC LIMIT ?`,
  )
  const count = database.prepare(
    `SELECT count(*) AS runs FROM workflow_runs WHERE namespace_id = ? AND workflow_name = ?
       AND status IN (${OPEN})`,
  )
  return {
    async idOf(run) {
      const row = idOf.get(NAMESPACE, WORKFLOW, run)
      return row && String(row['id'])
    },
    idsOfOpen: async (limit) => open.all(NAMESPACE, WORKFLOW, limit).map(({ id }) => String(id)),
    countOpen: async () => Number(count.get(NAMESPACE, WORKFLOW)?.['runs']),
  }
}

function forgetting(database: DatabaseSync): Pick<RunTable, 'forget' | 'forgetRun'> {
  return {
    async forget(before) {
      database.prepare('DELETE FROM workflow_runs WHERE finished_at < ?').run(before.toISOString())
      database.exec(
        'DELETE FROM workflow_signals WHERE workflow_run_id NOT IN (SELECT id FROM workflow_runs)',
      )
    },
    async forgetRun(run) {
      database
        .prepare('DELETE FROM workflow_runs WHERE idempotency_key = ? AND finished_at IS NOT NULL')
        .run(run)
    },
  }
}

/**
 * The start of a step is synced to disk by its caller before its call leaves, unless it only reads. Its end, the claim of
 * a run and the end of a run are written at once, so a killed process loses nothing, but are synced only with the next
 * start: after a power failure in between, the step counts as begun, so a read is repeated, and about any other call the
 * owner is asked. A new run is synced by its caller, while work on it begins.
 */
function withSyncedWrites(
  backend: BackendSqlite,
  database: DatabaseSync,
  wal: WalSync,
): BackendSqlite {
  // SQLite checkpoints the log when a statement finishes, which those of openworkflow never do (`RETURNING`, read with
  // `get`): without one that does, the log would grow as long as a run goes on.
  const finished = database.prepare('SELECT 1')
  const closed =
    <P, T>(write: (params: P) => Promise<T>): ((params: P) => Promise<T>) =>
    async (params) => {
      const written = await write(params)
      finished.all()
      return written
    }
  const synced =
    <P, T>(write: (params: P) => Promise<T>): ((params: P) => Promise<T>) =>
    async (params) => {
      const written = await closed(write)(params)
      await wal.sync()
      return written
    }
  backend.createStepAttempt = closed(backend.createStepAttempt.bind(backend))
  backend.sendSignal = synced(backend.sendSignal.bind(backend))
  backend.sleepWorkflowRun = synced(backend.sleepWorkflowRun.bind(backend))
  backend.failWorkflowRun = synced(backend.failWorkflowRun.bind(backend))
  backend.cancelWorkflowRun = synced(backend.cancelWorkflowRun.bind(backend))
  return backend
}

function addSteps(
  database: DatabaseSync,
  { workflowRunId, workerId }: Owner,
  steps: readonly NotedStep[],
): boolean {
  const now = new Date().toISOString()
  const insert = database.prepare(
    `INSERT INTO step_attempts (namespace_id, id, workflow_run_id, step_name, kind, status,
       config, started_at, created_at, updated_at)
     SELECT namespace_id, ?, id, ?, 'function', 'running', ?, ?, ?, ? FROM workflow_runs
     WHERE namespace_id = ? AND id = ? AND status = 'running' AND worker_id = ?`,
  )
  return inTransaction(database, () =>
    steps.every(({ stepName, config }) => {
      const row = [randomUUID(), stepName, JSON.stringify(config), now, now, now]
      return insert.run(...row, NAMESPACE, workflowRunId, workerId).changes > 0
    }),
  )
}

/** Frees only runs that a process held; parked runs keep their time. */
function releaseAll(database: DatabaseSync): void {
  database
    .prepare(
      `UPDATE workflow_runs AS run SET available_at = ?, worker_id = NULL, context = json_object(
         'lost', CASE json_extract(context, '$.seen') WHEN record.seen
           THEN json_extract(context, '$.lost') + 1 ELSE 1 END,
         'seen', record.seen)
       FROM (
         SELECT held.id, count(DISTINCT step_name)
             + count(CASE step.status WHEN 'completed' THEN 1 END) AS seen
         FROM workflow_runs AS held LEFT JOIN step_attempts AS step
           ON step.namespace_id = held.namespace_id AND step.workflow_run_id = held.id
         WHERE held.status = 'running' AND held.worker_id IS NOT NULL GROUP BY held.id
       ) AS record
       WHERE run.id = record.id`,
    )
    .run(new Date().toISOString())
}

function reopen(database: DatabaseSync, run: string): boolean {
  const now = new Date().toISOString()
  return inTransaction(database, () => {
    const reopened = database
      .prepare(
        `UPDATE workflow_runs SET status = 'pending', available_at = ?, updated_at = ?,
           finished_at = NULL, error = NULL, context = NULL
         WHERE idempotency_key = ? AND status = 'failed'`,
      )
      .run(now, now, run)
    database
      .prepare(
        `UPDATE step_attempts SET step_name = ? || step_name
         WHERE status = 'failed' AND step_name NOT LIKE ? AND workflow_run_id IN
           (SELECT id FROM workflow_runs WHERE idempotency_key = ? AND status = 'pending')`,
      )
      .run(BEFORE_REOPENING, `${BEFORE_REOPENING}%`, run)
    return reopened.changes > 0
  })
}

/** Rolled back if `work` throws or returns false. */
function inTransaction(database: DatabaseSync, work: () => boolean): boolean {
  database.exec('BEGIN IMMEDIATE')
  try {
    const isDone = work()
    database.exec(isDone ? 'COMMIT' : 'ROLLBACK')
    return isDone
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
