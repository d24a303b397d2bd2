/**
 * The log of runs in a SQLite file of its own. The lock of the home guarantees that no other process uses the file, so
 * a claim does not expire, and the runs of a process that died are freed when the file is opened.
 *
 * The start of a step is synced to disk by its caller before its call leaves, unless it only reads. Its end, the claim of
 * a run and the end of a run are written at once, so a killed process loses nothing, but are synced only with the next
 * start: after a power failure in between, the step counts as begun, so a read is repeated, and about any other call the
 * owner is asked.
 */
import { randomUUID } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { StoredRun, StoredStep } from './flow-runtime.ts'
import { importOlder, type OlderRuns } from './import-older.ts'
import { createForwardClock } from './forward-clock.ts'
import { explainSqlite } from './run-errors.ts'
import type { Claim, ClaimedRun, NewStep, RunLog, SettledAs, Unwanted } from './run-log.ts'
import { inTransaction, moveOlderAside, openRunsFile } from './runs-file.ts'
import { createTidying, FORGOTTEN_AT } from './create-tidying.ts'
import { createSearching } from './create-searching.ts'
import { type StepRow, storedStep } from './stored-run.ts'
import { openWalSync } from './wal-sync.ts'

/** Due at once, whatever the clock says: it may have been set back since. */
const AT_ONCE = 0
/** Read at once; a long run would block the event loop. */
const PAGE_STEPS = 1000

export async function openSqliteLog(path: string): Promise<RunLog> {
  const explain = (error: unknown): unknown => explainSqlite(path, error)
  try {
    const { database, older } = openFiles(path)
    const wal = await openWalSync(path)
    const written = async <T>(result: T): Promise<T> => {
      await wal.sync()
      return result
    }
    const changing = createChanging(database)
    return {
      isShared: false,
      ...createSearching(database),
      ...createReading(database),
      ...createWriting(database, () => wal.sync()),
      cancel: async (id, sums) => await written(changing.cancel(id, sums)),
      answer: async (id, question, answer) => await written(changing.answer(id, question, answer)),
      reopen: async (id) => await written(changing.reopen(id)),
      ...createTidying(database, older),
      sync: () => wal.sync(),
      syncSoon: () => wal.syncSoon(),
      explain,
      async close() {
        await wal.close()
        older.close()
        database.close()
      },
    }
  } catch (error) {
    throw explain(error)
  }
}

interface RunsFiles {
  readonly database: DatabaseSync
  readonly older: OlderRuns
}

function openFiles(path: string): RunsFiles {
  const moved = moveOlderAside(path)
  try {
    const database = openRunsFile(path)
    return { database, older: importOlder(path, database) }
  } finally {
    moved?.close()
  }
}

function createReading(database: DatabaseSync): Pick<RunLog, 'steps' | 'answerTo'> {
  const page = database.prepare(
    `SELECT step.* FROM step JOIN run ON run.number = step.run
     WHERE run.id = ? AND step.number > ? ORDER BY step.number LIMIT ${PAGE_STEPS}`,
  )
  const answered = database.prepare('SELECT result FROM step WHERE run = ? AND number = ?')
  return {
    async steps(id) {
      const steps: StoredStep[] = []
      for (;;) {
        const rows = page.all(id, steps.at(-1)?.number ?? 0)
        steps.push(...rows.map((row) => storedStep(row as unknown as StepRow)))
        if (rows.length < PAGE_STEPS) return steps
        await nextTurn()
      }
    },
    async answerTo({ run }, question) {
      const result = answered.get(run, question)?.['result']
      return typeof result === 'string' ? result : undefined
    },
  }
}

type Writing = Pick<RunLog, 'create' | 'claim' | 'renew' | 'add' | 'end' | 'settle'>

function createWriting(database: DatabaseSync, sync: () => Promise<void>): Writing {
  const { find } = createSearching(database)
  const create = database.prepare(
    `INSERT INTO run (id, flow, is_scheduled, state, input, started_at, due_at)
     VALUES (?, ?, ?, 'running', ?, ?, ${AT_ONCE}) ON CONFLICT (id) DO NOTHING`,
  )
  const waitNow = createForwardClock(Date.now)
  const settle = createSettling(database, waitNow)
  return {
    async create({ id, flow, isScheduled, input }) {
      create.run(id, flow, Number(isScheduled), input, Date.now())
      return (await find(id)) as StoredRun
    },
    claim: createClaiming(database, waitNow),
    renew: async () => true, // no other process can take the run
    ...createStepping(database),
    async settle(claim, as) {
      const isOurs = settle(claim, as)
      if (as.state !== 'completed') await sync()
      return isOurs
    },
  }
}

function createClaiming(database: DatabaseSync, waitNow: () => number): RunLog['claim'] {
  const next = database.prepare(
    `SELECT number, id, flow, is_scheduled, input, lost, claims FROM run
     WHERE is_scheduled = ? AND due_at <= ? AND flow NOT IN (SELECT value FROM json_each(?))
     ORDER BY due_at, number LIMIT 1`,
  )
  const claim = database.prepare(
    `UPDATE run SET holder = ?, due_at = NULL, is_answered = 0, claims = claims + 1
     WHERE number = ?`,
  )
  const due = (isScheduled: 0 | 1, { flows }: Unwanted) =>
    next.get(isScheduled, waitNow(), JSON.stringify(flows))
  return async (_leaseMs, unwanted) => {
    const row = due(0, unwanted) ?? (unwanted.isScheduled ? undefined : due(1, unwanted))
    if (!row) return undefined
    const holder = randomUUID()
    const run = Number(row['number'])
    claim.run(holder, run)
    const claimed: ClaimedRun = {
      claim: { run, holder },
      id: String(row['id']),
      flow: String(row['flow']),
      isScheduled: row['is_scheduled'] === 1,
      input: String(row['input']),
      needs: [],
      isNew: row['claims'] === 0,
      timesLost: Number(row['lost']),
    }
    return claimed
  }
}

function createStepping(database: DatabaseSync): Pick<RunLog, 'add' | 'end'> {
  const insert = database.prepare(
    `INSERT INTO step (run, number, name, kind, state, note, started_at)
     SELECT number, ?, ?, ?, 'begun', ?, ? FROM run WHERE number = ? AND holder = ?`,
  )
  const add = ({ run, holder }: Claim, { number, name, kind, note }: NewStep): boolean =>
    insert.run(number, name, kind, note, Date.now(), run, holder).changes > 0
  const end = database.prepare(
    `UPDATE step SET state = ?, result = ?, ended_at = ? WHERE run = ? AND number = ?
       AND EXISTS (SELECT 1 FROM run WHERE number = step.run AND holder = ?)`,
  )
  return {
    async add(claim, notes, begun) {
      if (notes.length === 0) return begun === undefined || add(claim, begun)
      const all = begun ? [...notes, begun] : notes
      return inTransaction(database, () => all.every((step) => add(claim, step)))
    },
    end: async ({ run, holder }, step, state, result) =>
      end.run(state, result, Date.now(), run, step, holder).changes > 0,
  }
}

function createSettling(
  database: DatabaseSync,
  waitNow: () => number,
): (claim: Claim, as: SettledAs) => boolean {
  const finish = database.prepare(
    `UPDATE run SET state = ?, outcome = ?, ended_at = ?, holder = NULL, due_at = NULL
     WHERE number = ? AND holder = ?`,
  )
  const park = database.prepare(
    `UPDATE run SET due_at = CASE is_answered WHEN 1 THEN ${AT_ONCE} ELSE ? END, holder = NULL
     WHERE number = ? AND holder = ?`,
  )
  return ({ run, holder }, as) => {
    if (as.state !== 'open') {
      return finish.run(as.state, as.outcome, Date.now(), run, holder).changes > 0
    }
    const { delayMs } = as
    const due = delayMs === 0 ? AT_ONCE : delayMs === undefined ? null : waitNow() + delayMs
    return park.run(due, run, holder).changes > 0
  }
}

interface Changing {
  cancel(id: string, sums?: string): void
  answer(id: string, question: string, answer: string): boolean
  reopen(id: string): boolean
}

function createChanging(database: DatabaseSync): Changing {
  const cancel = database.prepare(
    `UPDATE run SET state = 'cancelled', ended_at = ?, outcome = ?, holder = NULL, due_at = NULL
     WHERE id = ? AND state = 'running'`,
  )
  const answer = database.prepare(
    `UPDATE step SET result = ? WHERE kind = 'question' AND state = 'begun' AND result IS NULL
       AND name = ? AND run = (SELECT number FROM run WHERE id = ? AND state = 'running')`,
  )
  const wake = database.prepare(
    `UPDATE run SET is_answered = 1, lost = 0, due_at = CASE WHEN holder IS NULL THEN ${AT_ONCE} END
     WHERE id = ?`,
  )
  const reopen = database.prepare(
    `UPDATE run SET state = 'running', outcome = NULL, ended_at = NULL, due_at = ${AT_ONCE},
       lost = 0, seen = 0 WHERE id = ? AND state = 'failed' AND ended_at IS NOT ${FORGOTTEN_AT}`,
  )
  const setAside = database.prepare(
    `UPDATE step SET is_before = 1
     WHERE state = 'failed' AND run = (SELECT number FROM run WHERE id = ?)`,
  )
  return {
    cancel: (id, sums) => void cancel.run(Date.now(), sums ?? null, id),
    answer: (id, question, given) =>
      inTransaction(database, () => {
        const isAsked = answer.run(given, question, id).changes > 0
        return isAsked && wake.run(id).changes > 0
      }),
    reopen: (id) =>
      inTransaction(database, () => {
        const isReopened = reopen.run(id).changes > 0
        if (isReopened) setAside.run(id)
        return isReopened
      }),
  }
}
