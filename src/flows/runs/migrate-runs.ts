/** The schema of the runs in PostgreSQL, and the import of the runs that an older Cordon kept in tables of openworkflow. */
import type { Sql, TransactionSql } from 'postgres'
import { newerRuns } from './run-errors.ts'

export const SCHEMA = 'cordon_flows'
/** The number of the schema below. */
const VERSION = 2
/** The key of the advisory lock: arbitrary, but the same in every Cordon. Its bytes spell "FLOWS". */
const MIGRATION_LOCK = 0x464c4f5753

/**
 * `needs`: what a kernel must have to work on the run, a list of texts. `lacks`: what is missing, by the kernel that
 * misses it. `kernel`: the last one that claimed the run. `asks`: what it waits for from the owner; `reply`: their answer.
 */
const OF_SEVERAL = [
  "needs jsonb NOT NULL DEFAULT '[]'",
  "lacks jsonb NOT NULL DEFAULT '{}'",
  'kernel text',
  'asks text',
  'reply text',
]

/** As in SQLite, except `due_at` while a process works on the run: then its claim expires at that time. */
const TABLES = `
  CREATE TABLE ${SCHEMA}.version (number int NOT NULL);
  CREATE TABLE ${SCHEMA}.run (
    number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    id text NOT NULL UNIQUE,
    flow text NOT NULL,
    is_scheduled boolean NOT NULL DEFAULT false,
    state text NOT NULL,
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    due_at timestamptz,
    holder text,
    is_answered boolean NOT NULL DEFAULT false,
    claims int NOT NULL DEFAULT 0,
    lost int NOT NULL DEFAULT 0,
    seen bigint NOT NULL DEFAULT 0,
    input text NOT NULL,
    outcome text,
    ${OF_SEVERAL.join(', ')}
  );
  CREATE INDEX run_by_state ON ${SCHEMA}.run (state, number);
  CREATE INDEX run_by_flow ON ${SCHEMA}.run (flow, number);
  CREATE INDEX run_by_start ON ${SCHEMA}.run (started_at);
  CREATE INDEX run_due ON ${SCHEMA}.run (is_scheduled, due_at, number) WHERE holder IS NULL AND due_at IS NOT NULL;
  CREATE INDEX run_held ON ${SCHEMA}.run (due_at) WHERE holder IS NOT NULL;
  CREATE INDEX run_ended ON ${SCHEMA}.run (ended_at) WHERE ended_at IS NOT NULL;
  CREATE TABLE ${SCHEMA}.step (
    run bigint NOT NULL REFERENCES ${SCHEMA}.run (number) ON DELETE CASCADE,
    number int NOT NULL,
    name text NOT NULL,
    kind text NOT NULL,
    state text NOT NULL,
    is_before boolean NOT NULL DEFAULT false,
    started_at timestamptz NOT NULL DEFAULT now(),
    ended_at timestamptz,
    note text NOT NULL,
    result text,
    PRIMARY KEY (run, number)
  )`

/** Beside the schema, so that it needs no number of its own: a process of an older Cordon does not notice it. */
const OPEN_QUESTIONS = `CREATE INDEX step_asks ON ${SCHEMA}.step (run, number)
  WHERE kind = 'question' AND state = 'begun'`

/** One process at a time. */
export async function migrateRuns(connect: () => Sql): Promise<void> {
  const sql = connect()
  try {
    await sql.begin(async (lock) => {
      await lock`SELECT pg_advisory_xact_lock(${MIGRATION_LOCK})`
      await migrate(lock)
    })
  } finally {
    await sql.end({ timeout: 1 }).catch(() => undefined)
  }
}

async function migrate(sql: TransactionSql): Promise<void> {
  await sql.unsafe(`CREATE SCHEMA IF NOT EXISTS ${SCHEMA}`)
  if (await hasTable(sql, 'version')) {
    await raise(sql)
    // Looked for first: CREATE INDEX locks the table even if the index is there.
    if (!(await hasTable(sql, 'step_asks'))) await sql.unsafe(OPEN_QUESTIONS)
    return
  }
  await sql.unsafe(`${TABLES}; ${OPEN_QUESTIONS}`)
  await sql.unsafe(`INSERT INTO ${SCHEMA}.version VALUES (${VERSION})`)
  if (await hasTable(sql, 'workflow_runs')) await importOlder(sql)
}

async function hasTable(sql: TransactionSql, name: string): Promise<boolean> {
  const [row] = await sql`SELECT to_regclass(${`${SCHEMA}.${name}`}) IS NOT NULL AS is_there`
  return row?.['is_there'] === true
}

/** A process of an older Cordon that still runs claims no run from then on: it reads the number before each claim. */
async function raise(sql: TransactionSql): Promise<void> {
  const [row] = await sql.unsafe(
    `SELECT max(number) AS number, current_database() AS name FROM ${SCHEMA}.version`,
  )
  refuseNewer(Number(row?.['number']), String(row?.['name']))
  if (Number(row?.['number']) === VERSION) return
  const added = OF_SEVERAL.map((column) => `ADD COLUMN ${column}`).join(', ')
  await sql.unsafe(
    `ALTER TABLE ${SCHEMA}.run ${added}; UPDATE ${SCHEMA}.version SET number = ${VERSION}`,
  )
}

export function refuseNewer(version: number, database: string): void {
  if (version > VERSION) throw newerRuns(database)
}

const OPEN = "('pending', 'running', 'sleeping')"

/**
 * The older tables are renamed in the same transaction, so an older Cordon that still runs cannot go on with a run that
 * this one resumes. They are kept, as the way back: nothing reads or deletes them. A question that was open is not imported: the resumed run asks again.
 */
async function importOlder(sql: TransactionSql): Promise<void> {
  await sql.unsafe(`
    INSERT INTO ${SCHEMA}.run (id, flow, state, started_at, ended_at, due_at, claims, input, outcome)
    SELECT idempotency_key, coalesce(substring(input #>> '{}' FROM '"flow":"((?:[^"\\\\]|\\\\.)*)"'), ''),
      CASE WHEN status IN ${OPEN} THEN 'running' WHEN status IN ('completed', 'succeeded')
        THEN 'completed' WHEN status = 'failed' THEN 'failed' ELSE 'cancelled' END,
      created_at, finished_at, CASE WHEN status IN ${OPEN} THEN to_timestamp(0) END, 1,
      input #>> '{}', CASE status WHEN 'failed' THEN error ->> 'message' ELSE output #>> '{}' END
    FROM ${SCHEMA}.workflow_runs WHERE idempotency_key IS NOT NULL ORDER BY created_at;
    INSERT INTO ${SCHEMA}.step
      (run, number, name, kind, state, is_before, started_at, ended_at, note, result)
    SELECT run.number, (substring(step.config #>> '{}' FROM '"number":([0-9]+)'))::int,
      regexp_replace(step.step_name, '^before:', ''),
      CASE step.kind WHEN 'signal-wait' THEN 'question' ELSE 'step' END,
      CASE step.status WHEN 'running' THEN 'begun' WHEN 'failed' THEN 'failed' ELSE 'done' END,
      step.step_name LIKE 'before:%', step.created_at, step.finished_at,
      regexp_replace(step.config #>> '{}', '^\\{"number":[0-9]+,"note":(.*)\\}$', '\\1'),
      CASE step.status WHEN 'running' THEN NULL WHEN 'failed' THEN step.error ->> 'message'
        ELSE step.output #>> '{}' END
    FROM ${SCHEMA}.step_attempts AS step
      JOIN ${SCHEMA}.workflow_runs AS old ON old.id = step.workflow_run_id
      JOIN ${SCHEMA}.run AS run ON run.id = old.idempotency_key
    WHERE NOT (step.kind = 'signal-wait' AND step.status = 'running')
    ON CONFLICT DO NOTHING;
    ALTER TABLE ${SCHEMA}.workflow_signals RENAME TO older_signals;
    ALTER TABLE ${SCHEMA}.step_attempts RENAME TO older_steps;
    ALTER TABLE ${SCHEMA}.workflow_runs RENAME TO older_runs`)
}
