/**
 * Runs in a SQLite file of their own. The lock of the home says that no other process is alive, so whatever a process
 * that died held is free at once.
 */
import { chmodSync, closeSync, existsSync, openSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { BackendSqlite } from 'openworkflow/sqlite'
import { BEFORE_REOPENING, NAMESPACE, type RunTable, WORKFLOW } from './run-table.ts'
import { explainSqlite } from './run-errors.ts'

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
 * That a step begins is on disk before anything leaves. How it ended is in the file at once, which is all that a process
 * that is killed needs, and on disk with the next beginning: should the power fail in between, the step counts as begun,
 * so it is repeated where it reads and asked about where it does not.
 */
function withCheapEnds(backend: BackendSqlite): BackendSqlite {
  const { db } = backend as unknown as { readonly db: DatabaseSync }
  db.exec(
    `PRAGMA busy_timeout = ${BUSY_MS}; PRAGMA synchronous = FULL; PRAGMA trusted_schema = OFF`,
  )
  const cheaply = <A, B>(write: (params: A) => Promise<B>): ((params: A) => Promise<B>) => {
    return (params) => {
      db.exec('PRAGMA synchronous = NORMAL')
      try {
        return write(params) // it has written when it returns
      } finally {
        db.exec('PRAGMA synchronous = FULL')
      }
    }
  }
  backend.completeStepAttempt = cheaply(backend.completeStepAttempt.bind(backend))
  backend.failStepAttempt = cheaply(backend.failStepAttempt.bind(backend))
  return backend
}

/** What somebody waits for keeps its time: only what was being worked on is free. */
function releaseAll(database: DatabaseSync): void {
  database
    .prepare(
      `UPDATE workflow_runs SET available_at = ?, worker_id = NULL
       WHERE status = 'running' AND worker_id IS NOT NULL`,
    )
    .run(new Date().toISOString())
}

function reopen(database: DatabaseSync, run: string): boolean {
  const now = new Date().toISOString()
  database.exec('BEGIN IMMEDIATE')
  try {
    const reopened = database
      .prepare(
        `UPDATE workflow_runs
         SET status = 'pending', available_at = ?, updated_at = ?, finished_at = NULL, error = NULL
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
    database.exec('COMMIT')
    return reopened.changes > 0
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
