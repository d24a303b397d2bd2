/** Finds, lists and counts runs in PostgreSQL. Each query reads the rows that it returns, and no others. */
import type { Fragment, Sql } from 'postgres'
import type { RunQuery, StoredRun } from './flow-runtime.ts'
import { SCHEMA } from './migrate-runs.ts'
import type { RunLog } from './run-log.ts'
import { PURE, type RunRow, type StepRow, storedRun, storedStep } from './stored-run.ts'

/**
 * The columns of `RunRow`, with times in milliseconds. Whether a run is due is told by the clock of the database. Open
 * questions have an index, so that of a run is found without a look at its steps.
 */
function runColumns(sql: Sql) {
  return sql`number::float8 AS number, id, state, input, outcome, holder, kernel, lacks::text AS lacks, asks,
    extract(epoch FROM started_at)::float8 * 1000 AS started_at,
    extract(epoch FROM ended_at)::float8 * 1000 AS ended_at,
    coalesce(due_at <= now(), false) AS is_due,
    CASE state WHEN 'running' THEN (
      SELECT note FROM ${sql(`${SCHEMA}.step`)} AS step WHERE step.run = run.number
        AND kind = 'question' AND step.state = 'begun' ORDER BY step.number LIMIT 1
    ) END AS question`
}

/**
 * A condition on the time alone would read every run, to fill the last page: so the numbers are bounded too, by the last
 * run that started before. The minute is for runs that other processes started at the same moment, whose numbers may
 * be in another order than their times. `run.number` is the column; `number` alone would be what is selected, by which
 * no index is ordered.
 */
export function listQuery(sql: Sql, { limit, state, flow, since, before }: RunQuery): Fragment {
  const table = sql(`${SCHEMA}.run`)
  const after = (time: Date) => sql`AND started_at >= ${time} AND number > coalesce((
    SELECT earlier.number FROM ${table} AS earlier
    WHERE earlier.started_at < ${time}::timestamptz - interval '1 minute'
    ORDER BY earlier.started_at DESC LIMIT 1), 0)`
  return sql`
    SELECT ${runColumns(sql)} FROM ${table} AS run WHERE true
    ${state === undefined ? sql`` : sql`AND state = ${state}`}
    ${flow === undefined ? sql`` : sql`AND flow = ${flow}`}
    ${since === undefined ? sql`` : after(new Date(since))}
    ${before === undefined ? sql`` : sql`AND number < ${before}::bigint`}
    ORDER BY run.number DESC LIMIT ${limit}`
}

type Searching = Pick<RunLog, 'find' | 'list' | 'countOpen' | 'steps' | 'stepsDone' | 'create'>

export function postgresSearching(sql: Sql): Searching {
  const table = sql(`${SCHEMA}.run`)
  const find = async (id: string): Promise<StoredRun | undefined> => {
    const [row] = await sql<
      RunRow[]
    >`SELECT ${runColumns(sql)} FROM ${table} AS run WHERE id = ${id}`
    return row && storedRun(row)
  }
  return {
    find,
    async create({ id, flow, isScheduled, input, needs = [] }) {
      await sql`
        INSERT INTO ${table} (id, flow, is_scheduled, state, input, needs, due_at)
        VALUES (${id}, ${flow}, ${isScheduled}, 'running', ${input},
          ${JSON.stringify(needs)}::text::jsonb, to_timestamp(0))
        ON CONFLICT (id) DO NOTHING`
      return (await find(id)) as StoredRun
    },
    async list(query) {
      const rows = await sql<RunRow[]>`${listQuery(sql, query)}`
      return rows.map(storedRun)
    },
    async countOpen() {
      const [row] = await sql<{ runs: number }[]>`
        SELECT count(*)::int AS runs FROM ${table} WHERE state = 'running'`
      return row?.runs ?? 0
    },
    async steps(id) {
      const rows = await sql<StepRow[]>`
        SELECT step.number, name, kind, step.state, is_before::int AS is_before, note, result,
          extract(epoch FROM step.started_at)::float8 * 1000 AS started_at,
          extract(epoch FROM step.ended_at)::float8 * 1000 AS ended_at
        FROM ${sql(`${SCHEMA}.step`)} AS step JOIN ${table} AS run ON run.number = step.run
        WHERE run.id = ${id} ORDER BY step.number`
      return rows.map(storedStep)
    },
    /** A step that was tried again counts as its last try did; one that needed no call has no end on record. */
    async stepsDone(id) {
      const [row] = await sql<{ steps: number }[]>`
        SELECT count(*)::int AS steps FROM (
          SELECT DISTINCT ON (name) step.state, note FROM ${sql(`${SCHEMA}.step`)} AS step
          WHERE run = (SELECT number FROM ${table} WHERE id = ${id}) AND kind = 'step'
          ORDER BY name, step.number DESC
        ) AS last
        WHERE state = 'done' OR (state = 'begun' AND position(${PURE}::text IN note) > 0)`
      return row?.steps ?? 0
    },
  }
}
