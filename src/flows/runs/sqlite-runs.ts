/**
 * Runs in a SQLite file of their own. The lock of the home guarantees that no other process uses the file, so the runs
 * of a process that died are freed when the file is opened.
 */
import { randomUUID } from 'node:crypto'
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { BackendSqlite } from 'openworkflow/sqlite'
import { explainSqlite } from './run-errors.ts'
import {
  BEFORE_REOPENING,
  NAMESPACE,
  type NotedStep,
  type Owner,
  type RunTable,
  WORKFLOW,
} from './run-table.ts'

const BUSY_MS = 5000

export async function openSqliteRuns(path: string): Promise<RunTable> {
  const explain = (error: unknown): unknown => explainSqlite(path, error)
  try {
    return { ...open(path), explain }
  } catch (error) {
    throw explain(error)
  }
}

function open(path: string): Omit<RunTable, 'explain'> {
  if (!existsSync(path)) closeSync(openSync(path, 'wx', 0o600))
  chmodSync(path, 0o600)
  const backend = withCheapEnds(BackendSqlite.connect(path))
  const database = new DatabaseSync(path, { timeout: BUSY_MS, defensive: true })
  database.exec('PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF; PRAGMA foreign_keys = ON')
  releaseAll(database)
  const idOf = database.prepare(
    `SELECT id FROM workflow_runs
     WHERE namespace_id = ? AND workflow_name = ? AND idempotency_key = ?`,
  )
  return {
    backend,
    claim: (workerId, leaseDurationMs) => backend.claimWorkflowRun({ workerId, leaseDurationMs }),
    addSteps: async (owner, steps) => cheaply(database, () => addSteps(database, owner, steps)),
    async create(run, input) {
      await backend.createWorkflowRun({
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
      })
    },
    async idOf(run) {
      const row = idOf.get(NAMESPACE, WORKFLOW, run)
      return row && String(row['id'])
    },
    async answer(signal, data) {
      const { workflowRunIds } = await backend.sendSignal({ signal, data, idempotencyKey: null })
      return workflowRunIds.length > 0
    },
    reopen: async (run) => reopen(database, run),
    async forget(before) {
      database.prepare('DELETE FROM workflow_runs WHERE finished_at < ?').run(before.toISOString())
      database.exec(
        'DELETE FROM workflow_signals WHERE workflow_run_id NOT IN (SELECT id FROM workflow_runs)',
      )
    },
    async close() {
      await backend.stop()
      database.close()
    },
  }
}

/**
 * The start of a step is synced to disk before its call leaves. Its end is written at once, so a killed process loses
 * nothing, but is synced only with the next start: after a power failure in between, the step counts as begun, so a
 * read is repeated, and about any other call the owner is asked.
 */
function withCheapEnds(backend: BackendSqlite): BackendSqlite {
  const { db } = backend as unknown as { readonly db: DatabaseSync }
  db.exec(
    `PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF`,
  )
  // Both methods have written by the time they return their promise.
  const complete = backend.completeStepAttempt.bind(backend)
  const fail = backend.failStepAttempt.bind(backend)
  backend.completeStepAttempt = (params) => cheaply(db, () => complete(params))
  backend.failStepAttempt = (params) => cheaply(db, () => fail(params))
  return backend
}

/**
 * Writes without waiting for the disk; the next synced write brings this one to disk too. The PRAGMA at the end also
 * lets SQLite checkpoint the WAL: it does so when a statement finishes, which those of openworkflow never do
 * (`RETURNING`, read with `get`).
 */
function cheaply<T>(db: DatabaseSync, write: () => T): T {
  db.exec('PRAGMA synchronous = NORMAL')
  try {
    return write()
  } finally {
    db.exec('PRAGMA synchronous = FULL')
  }
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
