/**
 * The log of runs in PostgreSQL, in a schema of its own, for several processes at once: when a process dies, its claims
 * expire and another process resumes its runs. Times are those of the database, so the clocks of the processes do not
 * matter. Each change is one statement: it is on disk when it returns, and needs no reserved connection.
 */
import { setTimeout as pause } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import type { PostgresTarget } from '../../text/postgres-target.ts'
import { createHearing, type Hearing, sendMessage } from './kernel-messages.ts'
import { migrateRuns, SCHEMA } from './migrate-runs.ts'
import { explainPostgres, isUnreachable } from './run-errors.ts'
import { claiming, type Us } from './claiming.ts'
import { postgresSearching } from './postgres-searching.ts'
import type { Claim, NewStep, RunLog, SharedLog } from './run-log.ts'
import { sharing } from './sharing.ts'

const MOST_CONNECTIONS = 10
/** Runs that one statement deletes. */
const FORGOTTEN = 100

type Statements = Omit<RunLog, 'explain' | 'sync' | 'syncSoon' | 'isShared' | 'shared'> &
  Omit<SharedLog, 'onMessage'>

export async function openPostgresLog(target: PostgresTarget, kernel: string): Promise<RunLog> {
  const connect = (max: number): Sql => postgres(optionsFor(target, max))
  try {
    await migrateRuns(() => connect(1))
  } catch (error) {
    throw explainPostgres(target, error)
  }
  const us: Us = { kernel, freesFrom: 0 }
  const open = (): Statements => {
    const hearing = createHearing(optionsFor(target, 1), (message) => us.hear?.(message))
    return statementsOn(connect(MOST_CONNECTIONS), us, hearing)
  }
  const pools = createPools(open, target)
  const { ask } = pools
  return {
    isShared: true,
    shared: {
      asks: (claim, asks) => ask((log) => log.asks(claim, asks)),
      reply: (id, reply) => ask((log) => log.reply(id, reply)),
      takeReply: (claim) => ask((log) => log.takeReply(claim)),
      send: (message) => ask((log) => log.send(message)),
      onMessage(hear) {
        us.hear = hear
      },
    },
    create: (run) => ask((log) => log.create(run)),
    find: (id) => ask((log) => log.find(id)),
    list: (query) => ask((log) => log.list(query)),
    countOpen: () => ask((log) => log.countOpen()),
    steps: (id) => ask((log) => log.steps(id)),
    claim: (leaseMs, unwanted) => ask((log) => log.claim(leaseMs, unwanted)),
    renew: (claim, leaseMs) => ask((log) => log.renew(claim, leaseMs)),
    add: (claim, notes, begun) => ask((log) => log.add(claim, notes, begun)),
    end: (claim, step, state, result) => ask((log) => log.end(claim, step, state, result)),
    answerTo: (claim, question) => ask((log) => log.answerTo(claim, question)),
    settle: (claim, as) => ask((log) => log.settle(claim, as)),
    stepsDone: (id) => ask((log) => log.stepsDone(id)),
    cancel: (id, sums) => ask((log) => log.cancel(id, sums)),
    answer: (id, question, answer) => ask((log) => log.answer(id, question, answer)),
    reopen: (id) => ask((log) => log.reopen(id)),
    tidySome: (keptMs) => ask((log) => log.tidySome(keptMs)),
    forget: (id) => ask((log) => log.forget(id)),
    sync: async () => undefined, // a statement is on disk when it returns
    syncSoon: async () => undefined,
    explain: (error) => explainPostgres(target, error),
    close: () => pools.close(),
  }
}

const CLOSE_MS = 1000

interface Pools {
  readonly ask: <T>(work: (log: Statements) => Promise<T>) => Promise<T>
  close(): Promise<void>
}

/**
 * After a loss the driver (3.4.9) may keep a connection that hangs for ever, so the whole pool is replaced: once for all
 * statements that failed on it, since they are repeated on the next pool at once.
 */
function createPools(open: () => Statements, target: PostgresTarget): Pools {
  let current = open()
  let isClosed = false
  const underWay = new Set<Promise<unknown>>()
  const endings = new Set<Promise<void>>()
  const end = (used: Statements): void => {
    const ending = used.close().finally(() => endings.delete(ending))
    endings.add(ending)
  }
  return {
    async ask(work) {
      const used = current
      const asked = work(used)
      underWay.add(asked)
      try {
        return await asked
      } catch (error) {
        const isDone = isClosed || used !== current
        if (!isDone && isUnreachable(explainPostgres(target, error))) {
          current = open()
          end(used)
        }
        throw error
      } finally {
        underWay.delete(asked)
      }
    },
    async close() {
      await withinMs(CLOSE_MS, Promise.allSettled(underWay))
      isClosed = true // a statement that comes too late must not open another pool
      end(current)
      await Promise.all(endings)
    },
  }
}

/** After the wait the work goes on: a server that does not answer must not hold the end of the process up. */
async function withinMs(ms: number, work: Promise<unknown>): Promise<void> {
  await Promise.race([work, pause(ms, undefined, { ref: false })])
}

function optionsFor(target: PostgresTarget, max: number): postgres.Options<never> {
  return {
    ...target,
    max,
    connect_timeout: 10,
    connection: { application_name: 'cordon' },
    fetch_types: false, // a connection lost during that query would end the process
    onnotice: () => undefined, // otherwise the driver prints notices
  }
}

function statementsOn(sql: Sql, us: Us, hearing: Hearing): Statements {
  return {
    ...postgresSearching(sql),
    ...claiming(sql, us, hearing),
    ...stepping(sql),
    ...changing(sql),
    ...forgetting(sql),
    ...sharing(sql),
    async close() {
      // Without the driver's time limit: a connection that it cuts while it is being made comes up later, and stays open.
      const ended = Promise.all([hearing.end(), sql.end()]).catch(() => undefined)
      await withinMs(CLOSE_MS, ended)
    },
  }
}

function stepping(sql: Sql): Pick<RunLog, 'add' | 'end' | 'answerTo'> {
  const table = sql(`${SCHEMA}.step`)
  /** The lock on the run: a claim that expires meanwhile is taken by another process only after this statement. */
  const owned = ({ run, holder }: Claim) => sql`
    owned AS (SELECT number FROM ${sql(`${SCHEMA}.run`)}
      WHERE number = ${run} AND holder = ${holder} FOR UPDATE)`
  return {
    async add(claim, notes, begun) {
      const steps: readonly NewStep[] = begun ? [...notes, begun] : notes
      if (steps.length === 0) return true
      const rows = await sql`
        WITH ${owned(claim)}
        INSERT INTO ${table} (run, number, name, kind, state, note)
        SELECT owned.number, step.number, step.name, step.kind, 'begun', step.note
        FROM owned, jsonb_to_recordset(${JSON.stringify(steps)}::text::jsonb)
          AS step(number int, name text, kind text, note text)
        ON CONFLICT (run, number) DO UPDATE SET note = excluded.note RETURNING 1`
      return rows.length > 0
    },
    async end(claim, step, state, result) {
      const rows = await sql`
        WITH ${owned(claim)}
        UPDATE ${table} AS step SET state = ${state}, result = ${result}, ended_at = now()
        FROM owned WHERE step.run = owned.number AND step.number = ${step} RETURNING 1`
      return rows.length > 0
    },
    async answerTo({ run }, question) {
      const [row] = await sql<{ result: string | null }[]>`
        SELECT result FROM ${table} WHERE run = ${run} AND number = ${question}`
      return row?.result ?? undefined
    },
  }
}

function changing(sql: Sql): Pick<RunLog, 'cancel' | 'answer' | 'reopen'> {
  const runs = sql(`${SCHEMA}.run`)
  const steps = sql(`${SCHEMA}.step`)
  return {
    async cancel(id, sums) {
      await sql`
        UPDATE ${runs} SET state = 'cancelled', ended_at = now(), outcome = ${sums ?? null},
          holder = NULL, due_at = NULL
        WHERE id = ${id} AND state = 'running'`
      await sendMessage(sql, { kind: 'cancelled', run: id })
    },
    /** The mark on the run is seen by a process that parks it at the same time: both lock its row. */
    async answer(id, question, answer) {
      const rows = await sql`
        WITH said AS (
          UPDATE ${steps} AS step SET result = ${answer} FROM ${runs} AS run
          WHERE run.number = step.run AND run.id = ${id} AND run.state = 'running'
            AND step.kind = 'question' AND step.state = 'begun' AND step.result IS NULL
            AND step.name = ${question}
          RETURNING step.run
        )
        UPDATE ${runs} AS run SET is_answered = true, lost = 0,
          due_at = CASE WHEN holder IS NULL THEN to_timestamp(0) ELSE due_at END
        FROM said WHERE run.number = said.run RETURNING 1`
      return rows.length > 0
    },
    async reopen(id) {
      const rows = await sql`
        WITH reopened AS (
          UPDATE ${runs} SET state = 'running', outcome = NULL, ended_at = NULL,
            due_at = to_timestamp(0), holder = NULL, lost = 0, seen = 0
          WHERE id = ${id} AND state = 'failed' RETURNING number
        ), kept AS (
          UPDATE ${steps} SET is_before = true
          WHERE state = 'failed' AND run IN (SELECT number FROM reopened)
        )
        SELECT number FROM reopened`
      return rows.length > 0
    },
  }
}

function forgetting(sql: Sql): Pick<RunLog, 'tidySome' | 'forget'> {
  const runs = sql(`${SCHEMA}.run`)
  return {
    /** The time is compared again for each row: the owner may reopen a run between the two looks at it. */
    async tidySome(keptMs) {
      const isOld = sql`ended_at < now() - ${keptMs}::float8 * interval '1 ms'`
      const rows = await sql`
        DELETE FROM ${runs} WHERE ${isOld} AND number IN (
          SELECT number FROM ${runs} WHERE ${isOld} ORDER BY ended_at LIMIT ${FORGOTTEN}
        ) RETURNING 1`
      return rows.length === FORGOTTEN
    },
    async forget(id) {
      await sql`DELETE FROM ${runs} WHERE id = ${id} AND ended_at IS NOT NULL`
    },
  }
}
