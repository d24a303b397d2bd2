/**
 * Claims of runs in PostgreSQL. A claim is a lease by the clock of the database, so the clocks of the processes do not
 * matter; a process that does not renew it loses the run to another one.
 */
import { randomUUID } from 'node:crypto'
import type { Sql } from 'postgres'
import { LONGEST_WAIT_MS } from './forward-clock.ts'
import { RENEW_MS } from './held-run.ts'
import type { Hearing, KernelMessage } from './kernel-messages.ts'
import { refuseNewer, SCHEMA } from './migrate-runs.ts'
import type { Claim, ClaimedRun, RunLog } from './run-log.ts'

interface ClaimedRow {
  readonly number: number
  readonly id: string
  readonly flow: string
  readonly is_scheduled: boolean
  readonly input: string
  readonly needs: string
  readonly lost: number
  readonly claims: number
}

/** `hearing`: of this pool, since a connection that was lost hears nothing. */
export function claiming(
  sql: Sql,
  us: Us,
  hearing: Pick<Hearing, 'begin'>,
): Pick<RunLog, 'claim' | 'renew' | 'settle'> {
  const table = sql(`${SCHEMA}.run`)
  const ours = ({ run, holder }: Claim) => sql`number = ${run} AND holder = ${holder}`
  return {
    async claim(leaseMs, { isScheduled, flows, needs = [] }) {
      await meet(sql, us)
      hearing.begin()
      const holder = randomUUID()
      const [row] = await sql<ClaimedRow[]>`
        WITH next AS (
          SELECT number FROM ${table}
          WHERE state = 'running' AND holder IS NULL AND (due_at <= now()
              OR due_at > now() + ${LONGEST_WAIT_MS} * interval '1 ms') -- the clock was set back
            AND NOT (is_scheduled AND ${isScheduled})
            AND flow NOT IN (SELECT jsonb_array_elements_text(${JSON.stringify(flows)}::text::jsonb))
            AND NOT needs ?| ARRAY(SELECT jsonb_array_elements_text(${JSON.stringify(needs)}::text::jsonb))
          ORDER BY is_scheduled, due_at, number LIMIT 1 FOR UPDATE SKIP LOCKED
        )
        UPDATE ${table} AS run SET holder = ${holder}, due_at = now() + ${leaseMs} * interval '1 ms',
          is_answered = false, claims = claims + 1, kernel = ${us.kernel}, lacks = lacks - ${us.kernel},
          asks = NULL, reply = NULL
        FROM next WHERE run.number = next.number
        RETURNING run.number::float8 AS number, id, flow, is_scheduled, input,
          needs::text AS needs, lost, claims`
      return row && claimed(row, holder)
    },
    async renew(claim, leaseMs) {
      const rows = await sql`
        UPDATE ${table} SET due_at = now() + ${leaseMs} * interval '1 ms'
        WHERE ${ours(claim)} AND state = 'running' RETURNING 1`
      return rows.length > 0
    },
    /** A run that has ended keeps its holder, so that the same end can be written again. */
    async settle(claim, as) {
      const lack = as.state === 'open' && as.lacks !== undefined ? { [us.kernel]: as.lacks } : {}
      const end =
        as.state === 'open'
          ? sql`holder = NULL, lacks = lacks || ${JSON.stringify(lack)}::text::jsonb, due_at = CASE WHEN is_answered OR ${as.delayMs === 0} THEN to_timestamp(0)
              ELSE now() + ${as.delayMs ?? null}::float8 * interval '1 ms' END`
          : sql`due_at = NULL, state = ${as.state}, outcome = ${as.outcome}, ended_at = now()`
      const rows = await sql`
        UPDATE ${table} SET asks = NULL, ${end} WHERE ${ours(claim)} RETURNING 1`
      return rows.length > 0
    },
  }
}

function claimed(row: ClaimedRow, holder: string): ClaimedRun {
  const { number, id, flow, is_scheduled: isScheduled, input, lost: timesLost, claims } = row
  const isNew = claims === 1
  const needs = JSON.parse(row.needs) as readonly string[]
  return { claim: { run: number, holder }, id, flow, isScheduled, input, needs, isNew, timesLost }
}

/**
 * The last contact with the database. After an outage, claims have expired whose processes live and only could
 * not renew them: they get the time of one renewal before they count as dead.
 */
export interface Us {
  /** The name under which this kernel claims runs. */
  readonly kernel: string
  /** The clock of the database and ours, at the last answer. */
  met?: { readonly theirs: number; readonly ours: number }
  /** By our clock. */
  freesFrom: number
  /** Hears the messages of other kernels. */
  hear?: (message: KernelMessage) => void
}

const OUTAGE_MS = 2000
const GRACE_MS = RENEW_MS + 1000
const MEET_MS = 500

/** Frees runs of dead processes, and learns whether a newer Cordon has taken over the tables meanwhile. */
async function meet(sql: Sql, us: Us): Promise<void> {
  const asked = performance.now()
  const { met } = us
  if (met && asked - met.ours < MEET_MS) return
  const isAfterGap = met !== undefined && asked - met.ours > OUTAGE_MS
  if (isAfterGap) us.freesFrom = asked + GRACE_MS
  const expected = met && !isAfterGap ? met.theirs + asked - met.ours : undefined
  const answer = await freeLost(sql, asked >= us.freesFrom, expected)
  const ours = performance.now()
  if (met && ours - asked > OUTAGE_MS) us.freesFrom = ours + GRACE_MS
  us.met = { theirs: answer.now, ours }
  refuseNewer(answer.version, answer.database)
}

interface Met {
  readonly now: number
  readonly version: number
  readonly database: string
}

/**
 * Frees runs whose claim has expired, and counts the loss. A repeated try of a step is no progress. A statement that was
 * sent before an outage and is executed after it frees nothing: the database compares its own clock with `expected`.
 */
async function freeLost(sql: Sql, frees: boolean, expected: number | undefined): Promise<Met> {
  const run = sql(`${SCHEMA}.run`)
  const latest = expected === undefined ? null : (expected + OUTAGE_MS) / 1000
  const [met] = await sql<Met[]>`
    WITH record AS (
      SELECT number, (
        SELECT count(DISTINCT name) + count(*) FILTER (WHERE step.state = 'done')
        FROM ${sql(`${SCHEMA}.step`)} AS step WHERE step.run = run.number
      ) AS progress
      FROM ${run} AS run
      WHERE ${frees} AND holder IS NOT NULL AND due_at <= now()
        AND now() <= coalesce(to_timestamp(${latest}::float8), now())
      FOR UPDATE SKIP LOCKED
    ), freed AS (
      UPDATE ${run} AS run SET holder = NULL, due_at = to_timestamp(0), asks = NULL,
        seen = progress, lost = CASE seen WHEN progress THEN lost + 1 ELSE 1 END
      FROM record WHERE run.number = record.number
    )
    SELECT extract(epoch FROM now())::float8 * 1000 AS now, current_database() AS database,
      (SELECT max(number) FROM ${sql(`${SCHEMA}.version`)}) AS version`
  return met as Met
}
