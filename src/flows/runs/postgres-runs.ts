/**
 * Runs in PostgreSQL, in a schema of their own, for several processes at once: when a process dies, its leases expire
 * and another process resumes its runs.
 */
import { BackendPostgres } from 'openworkflow/postgres'
import postgres, { type Sql } from 'postgres'
import { CordonError } from '../../kernel/error.ts'
import type { PostgresTarget } from '../../text/postgres-target.ts'
import { explainPostgres } from './run-errors.ts'
import {
  BEFORE_REOPENING,
  NAMESPACE,
  type NotedStep,
  type Owner,
  type RunTable,
  WORKFLOW,
} from './run-table.ts'

const SCHEMA = 'cordon_flows'
const MOST_CONNECTIONS = 10
/** The key of the advisory lock: arbitrary, but the same in every Cordon. Its bytes spell "FLOWS". */
const MIGRATION_LOCK = 0x464c4f5753

export async function openPostgresRuns(target: PostgresTarget): Promise<RunTable> {
  let current = tableOver(postgres(optionsFor(target, MOST_CONNECTIONS)))
  try {
    await migrate(target)
  } catch (error) {
    await current.close()
    throw explainPostgres(target, error)
  }
  return {
    get backend() {
      return current.backend
    },
    claim: (workerId, leaseMs) => current.claim(workerId, leaseMs),
    addSteps: (owner, steps) => current.addSteps(owner, steps),
    create: (run, input) => current.create(run, input),
    idOf: (run) => current.idOf(run),
    sync: async () => undefined, // a statement is on disk when it returns
    syncSoon: async () => undefined,
    idsOfOpen: (limit) => current.idsOfOpen(limit),
    countOpen: () => current.countOpen(),
    answer: (signal, data) => current.answer(signal, data),
    reopen: (run) => current.reopen(run),
    forget: (before) => current.forget(before),
    forgetRun: (run) => current.forgetRun(run),
    explain(error) {
      const explained = explainPostgres(target, error)
      if (!(explained instanceof CordonError) || explained.code !== 'flows.unreachable') {
        return explained
      }
      // After a loss the driver (3.4.9) may keep a connection that hangs for ever, so the whole pool is replaced.
      void current.close()
      current = tableOver(postgres(optionsFor(target, MOST_CONNECTIONS)))
      return explained
    },
    close: () => current.close(),
  }
}

async function idOf(sql: Sql, run: string): Promise<string | undefined> {
  const [row] = await sql<{ id: string }[]>`
    SELECT id FROM ${sql(`${SCHEMA}.workflow_runs`)} WHERE namespace_id = ${NAMESPACE}
      AND workflow_name = ${WORKFLOW} AND idempotency_key = ${run}`
  return row?.id
}

async function idsOfOpen(sql: Sql, limit: number): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    SELECT id FROM ${sql(`${SCHEMA}.workflow_runs`)}
    WHERE namespace_id = ${NAMESPACE} AND workflow_name = ${WORKFLOW}
      AND status IN ('pending', 'running', 'sleeping') ORDER BY created_at DESC LIMIT ${limit}`
  return rows.map(({ id }) => id)
}

async function countOpen(sql: Sql): Promise<number> {
  const [row] = await sql<{ runs: number }[]>`
    SELECT count(*)::int AS runs FROM ${sql(`${SCHEMA}.workflow_runs`)}
    WHERE namespace_id = ${NAMESPACE} AND workflow_name = ${WORKFLOW}
      AND status IN ('pending', 'running', 'sleeping')`
  return row?.runs ?? 0
}

function tableOver(sql: Sql): Omit<RunTable, 'explain' | 'sync' | 'syncSoon'> {
  const runs = sql(`${SCHEMA}.workflow_runs`)
  const steps = sql(`${SCHEMA}.step_attempts`)
  const backend = BackendPostgres.fromPool(sql, { schema: SCHEMA })
  return {
    backend,
    async claim(workerId, leaseDurationMs) {
      await releaseLost(sql)
      return await backend.claimWorkflowRun({ workerId, leaseDurationMs })
    },
    addSteps: (owner, noted) => addSteps(sql, owner, noted),
    async create(run, input) {
      // The id of the row is derived from that of the run, so of two processes that start the same run only one inserts
      // it.
      await sql`
        INSERT INTO ${runs} (namespace_id, id, workflow_name, status, idempotency_key, config, input,
          attempts, available_at, created_at, updated_at)
        VALUES (${NAMESPACE}, md5(${run})::uuid::text, ${WORKFLOW}, 'pending', ${run}, '{}'::jsonb,
          to_jsonb(${input}::text), 0, NOW(), date_trunc('milliseconds', NOW()), NOW())
        ON CONFLICT (namespace_id, id) DO NOTHING`
      const written = await backend.getWorkflowRun({ workflowRunId: (await idOf(sql, run)) ?? '' })
      if (!written) throw new Error('A run that was written down is not there')
      return written
    },
    idOf: (run) => idOf(sql, run),
    idsOfOpen: (limit) => idsOfOpen(sql, limit),
    countOpen: () => countOpen(sql),
    answer: (signal, data) => answer(sql, signal, data),
    async reopen(run) {
      // One atomic statement, so no process claims the run before its steps are renamed.
      const rows = await sql`
        WITH reopened AS (
          UPDATE ${runs} SET status = 'pending', available_at = NOW(), updated_at = NOW(),
            finished_at = NULL, error = NULL, context = NULL
          WHERE idempotency_key = ${run} AND status = 'failed' RETURNING id
        ), kept AS (
          UPDATE ${steps} SET step_name = ${BEFORE_REOPENING} || step_name
          WHERE status = 'failed' AND step_name NOT LIKE ${`${BEFORE_REOPENING}%`}
            AND workflow_run_id IN (SELECT id FROM reopened)
        )
        SELECT id FROM reopened`
      return rows.length > 0
    },
    ...forgetting(sql),
    async close() {
      await sql.end({ timeout: 1 }).catch(() => undefined)
    },
  }
}

function forgetting(sql: Sql): Pick<RunTable, 'forget' | 'forgetRun'> {
  const runs = sql(`${SCHEMA}.workflow_runs`)
  return {
    async forget(before) {
      await sql`DELETE FROM ${runs} WHERE finished_at < ${before}`
      await sql`DELETE FROM ${sql(`${SCHEMA}.workflow_signals`)}
        WHERE workflow_run_id NOT IN (SELECT id FROM ${runs})`
    },
    async forgetRun(run) {
      await sql`DELETE FROM ${runs} WHERE idempotency_key = ${run} AND finished_at IS NOT NULL`
    },
  }
}

async function addSteps(
  sql: Sql,
  { workflowRunId, workerId }: Owner,
  noted: readonly NotedStep[],
): Promise<boolean> {
  // Passed as text, since the driver would encode JSON a second time.
  const rows = await sql`
    WITH owned AS (
      SELECT id FROM ${sql(`${SCHEMA}.workflow_runs`)} WHERE namespace_id = ${NAMESPACE}
        AND id = ${workflowRunId} AND status = 'running' AND worker_id = ${workerId} FOR UPDATE
    )
    INSERT INTO ${sql(`${SCHEMA}.step_attempts`)} (namespace_id, id, workflow_run_id, step_name,
      kind, status, config, started_at, created_at, updated_at)
    SELECT ${NAMESPACE}, gen_random_uuid(), owned.id, noted."stepName", 'function', 'running',
      to_jsonb(noted.config), NOW(), date_trunc('milliseconds', NOW()), NOW()
    FROM owned, jsonb_to_recordset(${JSON.stringify(noted)}::text::jsonb)
      AS noted("stepName" text, config text)
    RETURNING id`
  return rows.length > 0
}

/** Frees runs whose lease has expired, and counts the loss in their `Losses`. */
async function releaseLost(sql: Sql): Promise<void> {
  await sql`
    WITH record AS (
      SELECT id, (
        SELECT count(DISTINCT step_name) + count(CASE step.status WHEN 'completed' THEN 1 END)
        FROM ${sql(`${SCHEMA}.step_attempts`)} AS step
        WHERE step.namespace_id = run.namespace_id AND step.workflow_run_id = run.id
      ) AS seen
      FROM ${sql(`${SCHEMA}.workflow_runs`)} AS run
      WHERE namespace_id = ${NAMESPACE} AND status = 'running' AND worker_id IS NOT NULL
        AND available_at <= NOW()
      FOR UPDATE SKIP LOCKED
    )
    UPDATE ${sql(`${SCHEMA}.workflow_runs`)} AS run SET worker_id = NULL,
      context = jsonb_build_object('seen', seen, 'lost',
        CASE (context->>'seen')::bigint WHEN seen THEN (context->>'lost')::int + 1 ELSE 1 END)
    FROM record WHERE run.namespace_id = ${NAMESPACE} AND run.id = record.id`
}

/** One atomic statement, so a run that is woken finds its answer. */
async function answer(sql: Sql, signal: string, data: string): Promise<boolean> {
  const runs = sql(`${SCHEMA}.workflow_runs`)
  const steps = sql(`${SCHEMA}.step_attempts`)
  const signals = sql(`${SCHEMA}.workflow_signals`)
  const rows = await sql`
    WITH said AS (
      INSERT INTO ${signals} (namespace_id, id, signal, data, workflow_run_id, step_attempt_id, created_at)
      SELECT namespace_id, gen_random_uuid(), ${signal}, to_jsonb(${data}::text), workflow_run_id, id, NOW()
      FROM ${steps}
      WHERE kind = 'signal-wait' AND status = 'running' AND context->>'signal' = ${signal}
      ON CONFLICT (namespace_id, step_attempt_id) DO NOTHING
      RETURNING workflow_run_id
    ), woken AS (
      UPDATE ${runs} SET available_at = LEAST(available_at, NOW()), updated_at = NOW()
      WHERE status = 'running' AND worker_id IS NULL
        AND id IN (SELECT workflow_run_id FROM said)
    )
    SELECT workflow_run_id FROM said`
  return rows.length > 0
}

function optionsFor(target: PostgresTarget, max: number): postgres.Options<never> {
  return {
    ...target,
    max,
    connect_timeout: 10,
    connection: { application_name: 'cordon' },
    fetch_types: false, // a connection lost during that query would end the process
    onnotice: () => undefined, // otherwise the driver prints notices
    transform: { column: { from: postgres.toCamel } },
  }
}

/**
 * Migrates under an advisory lock, one process at a time. openworkflow's `connect` passes its argument on to the
 * driver, which accepts options as well as a URL; a URL would lose the TLS settings.
 */
async function migrate(target: PostgresTarget): Promise<void> {
  const sql = postgres(optionsFor(target, 1))
  try {
    await sql.begin(async (lock) => {
      await lock`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`
      const options = optionsFor(target, 1) as unknown as string
      const migrated = await BackendPostgres.connect(options, { schema: SCHEMA })
      await migrated.stop()
    })
  } finally {
    await sql.end({ timeout: 1 }).catch(() => undefined)
  }
}
