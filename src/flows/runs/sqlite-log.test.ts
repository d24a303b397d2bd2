/** The SQLite file of runs: private, refused if it is no database, and freed of the leases of a dead process. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { CordonError } from '../../kernel/error.ts'
import { explainPostgres, explainSqlite } from './run-errors.ts'
import type { RunLog, Unwanted } from './run-log.ts'
import { openSqliteLog } from './sqlite-log.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-runs-'))
after(() => rmSync(folder, { recursive: true }))

const ALL: Unwanted = { isScheduled: false, flows: [] }

async function create(runLog: RunLog, id: string, isScheduled = false): Promise<void> {
  await runLog.create({ id, flow: `flow of ${id}`, isScheduled, input: '{}' })
}

async function claimed(runLog: RunLog, unwanted = ALL): Promise<string | undefined> {
  return (await runLog.claim(60_000, unwanted))?.id
}

test('the file is for its owner alone, and a run is found by the name it was given', async () => {
  const file = path.join(folder, 'a.db')
  const runLog = await openSqliteLog(file)
  await create(runLog, 'mine')
  assert.equal((await runLog.find('mine'))?.state, 'running')
  assert.equal(await runLog.find('other'), undefined)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(statSync(`${file}-wal`).mode & 0o777, 0o600)
  await runLog.close()
})

test('a run that a dead process held is free when the file is opened again', async () => {
  const file = path.join(folder, 'b.db')
  const runLog = await openSqliteLog(file)
  await create(runLog, 'mine')
  const { claim } = (await runLog.claim(60_000, ALL)) ?? assert.fail()
  assert.equal(await claimed(runLog), undefined)
  const again = await openSqliteLog(file)
  assert.equal(await claimed(again), 'mine')
  const step = { number: 1, name: 's', kind: 'step', note: '{}' } as const
  assert.equal(await runLog.add(claim, [step]), false)
  assert.equal(await runLog.settle(claim, { state: 'failed', outcome: '{}' }), false)
  assert.deepEqual(await again.steps('mine'), [])
  await again.close()
  await runLog.close()
})

test('the log of a long run is written back to the file while the run goes on', async () => {
  const file = path.join(folder, 'long.db')
  const runLog = await openSqliteLog(file)
  await create(runLog, 'long')
  const { claim } = (await runLog.claim(60_000, ALL)) ?? assert.fail()
  const note = JSON.stringify('x'.repeat(4000))
  for (let number = 1; number <= 5000; number += 1) {
    assert.ok(await runLog.add(claim, [], { number, name: `s${number}`, kind: 'step', note }))
    assert.ok(await runLog.end(claim, number, 'done', 'null'))
  }
  const pages = statSync(`${file}-wal`).size / 4096
  assert.ok(pages < 5000, `${pages} pages`)
  await runLog.close()
})

test('an open run is counted until it ends, and a run that nobody may claim is not claimed', async () => {
  const runLog = await openSqliteLog(path.join(folder, 'count.db'))
  assert.equal(await claimed(runLog), undefined)
  await create(runLog, 'mine')
  assert.equal(await runLog.countOpen(), 1)
  assert.equal(await claimed(runLog, { isScheduled: false, flows: ['flow of mine'] }), undefined)
  assert.equal(await claimed(runLog), 'mine')
  assert.equal(await claimed(runLog), undefined)
  await runLog.cancel('mine')
  assert.equal(await runLog.countOpen(), 0)
  await runLog.close()
})

test('a run that somebody started is claimed before scheduled ones, which may have to wait', async () => {
  const runLog = await openSqliteLog(path.join(folder, 'rank.db'))
  await create(runLog, 'nightly', true)
  await create(runLog, 'typed')
  assert.equal(await claimed(runLog), 'typed')
  assert.equal(await claimed(runLog, { isScheduled: true, flows: [] }), undefined)
  assert.equal(await claimed(runLog), 'nightly')
  await runLog.close()
})

test('a run that is due at once is claimed though the clock was set back', async (t) => {
  const runLog = await openSqliteLog(path.join(folder, 'clock.db'))
  await create(runLog, 'mine')
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() - 3_600_000 })
  assert.equal(await claimed(runLog), 'mine')
  await runLog.close()
})

test('a wait gets no longer by a clock that is set back, in its process or before the next one', async (t) => {
  const file = path.join(folder, 'back.db')
  const [now, steady] = [Date.now(), performance.now()]
  let runLog = await openSqliteLog(file)
  await create(runLog, 'mine')
  const park = async (): Promise<void> => {
    const { claim } = (await runLog.claim(60_000, ALL)) ?? assert.fail()
    await runLog.settle(claim, { state: 'open', delayMs: 10_000 })
    assert.equal(await claimed(runLog), undefined)
  }
  await park()
  t.mock.timers.enable({ apis: ['Date'], now: now - 1_800_000 })
  assert.equal(await claimed(runLog), undefined)
  t.mock.method(performance, 'now', () => steady + 12_000)
  await park()
  await runLog.close()
  t.mock.timers.setTime(now - 3 * 3_600_000)
  runLog = await openSqliteLog(file)
  assert.equal(await claimed(runLog), 'mine')
  await runLog.close()
})

test('an answer that comes while its run is still worked on wakes the run when it is parked', async () => {
  const runLog = await openSqliteLog(path.join(folder, 'answer.db'))
  await create(runLog, 'mine')
  const { claim } = (await runLog.claim(60_000, ALL)) ?? assert.fail()
  const question = { number: 1, name: 'sure?', kind: 'question', note: '{}' } as const
  assert.ok(await runLog.add(claim, [], question))
  assert.equal(await runLog.answer('mine', 'other?', '1'), false)
  assert.equal(await runLog.answer('mine', 'sure?', '2'), true)
  assert.equal(await runLog.answer('mine', 'sure?', '3'), false)
  assert.equal(await claimed(runLog), undefined)
  await runLog.settle(claim, { state: 'open', delayMs: undefined })
  const next = (await runLog.claim(60_000, ALL)) ?? assert.fail()
  assert.equal(await runLog.answerTo(next.claim, 1), '2')
  // Without another answer it is not claimed again.
  await runLog.settle(next.claim, { state: 'open', delayMs: undefined })
  assert.equal(await claimed(runLog), undefined)
  await runLog.close()
})

test('runs are found by state, flow and time, each by an index', async (t) => {
  const file = path.join(folder, 'find.db')
  const runLog = await openSqliteLog(file)
  for (const id of ['a', 'b', 'c', 'd']) await create(runLog, id)
  await runLog.cancel('b')
  await runLog.cancel('c')
  const ids = async (query: object): Promise<string> =>
    (await runLog.list({ limit: 10, ...query })).map(({ id }) => id).join('')
  assert.equal(await ids({}), 'dcba')
  assert.equal(await ids({ limit: 2 }), 'dc')
  const [, second] = await runLog.list({ limit: 2 })
  assert.equal(await ids({ before: second?.cursor }), 'ba')
  assert.equal(await ids({ state: 'cancelled' }), 'cb')
  assert.equal(await ids({ flow: 'flow of b' }), 'b')
  assert.equal(await ids({ state: 'running', flow: 'flow of b' }), '')
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 1000 })
  await create(runLog, 'e')
  assert.equal(await ids({ since: Date.now() }), 'e')
  assert.equal(await ids({ since: Date.now() + 1 }), '')
  await runLog.close()
  using database = new DatabaseSync(file)
  const plan = (where: string): string =>
    JSON.stringify(database.prepare(`EXPLAIN QUERY PLAN SELECT * FROM run WHERE ${where}`).all())
  assert.match(plan("state = 'failed' ORDER BY number DESC"), /USING INDEX run_by_state/)
  assert.match(plan("flow = 'x' ORDER BY number DESC"), /USING INDEX run_by_flow/)
  assert.match(plan('is_scheduled = 0 AND due_at <= 1 ORDER BY due_at'), /USING INDEX run_due/)
  assert.match(plan('ended_at < 1 ORDER BY ended_at'), /USING INDEX run_ended/)
})

/** More than one statement deletes. */
const STEPS = 500

/** Background work until nothing is left to do. */
async function tidy(runLog: RunLog, keptMs: number): Promise<number> {
  let parts = 0
  while (await runLog.tidySome(keptMs)) parts += 1
  return parts
}

test('runs that ended long ago are forgotten with their steps, part by part, and the file shrinks', async () => {
  const file = path.join(folder, 'c.db')
  const runLog = await openSqliteLog(file)
  await create(runLog, 'old')
  const { claim } = (await runLog.claim(60_000, ALL)) ?? assert.fail()
  const note = JSON.stringify('x'.repeat(4000))
  const steps = Array.from({ length: 2000 }, (_, at) => ({ number: at + 1, name: 's', note }))
  assert.ok(
    await runLog.add(
      claim,
      steps.map((step) => ({ ...step, kind: 'step' })),
    ),
  )
  await create(runLog, 'open')
  await runLog.cancel('old')
  const reader = new DatabaseSync(file)
  const count = (sql: string): number => Number(Object.values(reader.prepare(sql).get() ?? {})[0])
  const before = count('PRAGMA page_count')
  await tidy(runLog, 3_600_000)
  assert.notEqual(await runLog.find('old'), undefined)
  const parts = await tidy(runLog, -1000)
  assert.ok(parts > 2, `${parts} parts`)
  assert.equal(await runLog.find('old'), undefined)
  assert.notEqual(await runLog.find('open'), undefined)
  assert.equal(count('SELECT count(*) FROM step'), 0)
  assert.ok(count('PRAGMA page_count') < before / 10)
  reader.close()
  await runLog.close()
})

test('a failed run that is partly deleted is not reopened, and one that is reopened in time keeps its steps', async (t) => {
  const file = path.join(folder, 'race.db')
  let at = 0
  t.mock.method(performance, 'now', () => (at += 5)) // a part of the work is over after one statement
  const runLog = await openSqliteLog(file)
  const fail = async (id: string): Promise<void> => {
    await create(runLog, id)
    const { claim } = (await runLog.claim(60_000, ALL)) ?? assert.fail()
    const step = (_: unknown, index: number) =>
      ({ number: index + 1, name: 's', note: '{}', kind: 'step' }) as const
    assert.ok(await runLog.add(claim, Array.from({ length: STEPS }, step)))
    assert.ok(await runLog.settle(claim, { state: 'failed', outcome: 'null' }))
  }
  await fail('late')
  const stepsOf = async (id: string): Promise<number> => (await runLog.steps(id)).length
  await runLog.tidySome(-1000)
  const left = await stepsOf('late')
  assert.ok(left > 0 && left < STEPS, `${left} steps are left`)
  assert.equal(await runLog.reopen('late'), false)
  assert.equal(await claimed(runLog), undefined)
  await fail('early')
  assert.equal(await runLog.reopen('early'), true)
  await tidy(runLog, -1000)
  assert.equal(await runLog.find('late'), undefined)
  assert.equal(await stepsOf('early'), STEPS)
  await runLog.close()
})

test('a file that is no database, of another program or of a newer Cordon is left as it is', async () => {
  const file = path.join(folder, 'd.db')
  writeFileSync(file, 'something else entirely, and long enough to be read as a page'.repeat(100))
  await assert.rejects(openSqliteLog(file), { code: 'flows.damaged', exit: 5 })
  const foreign = path.join(folder, 'foreign.db')
  const database = new DatabaseSync(foreign)
  database.exec('CREATE TABLE theirs (x)')
  await assert.rejects(openSqliteLog(foreign), { code: 'flows.damaged', exit: 5 })
  database.exec('DROP TABLE theirs; PRAGMA user_version = 99')
  await assert.rejects(openSqliteLog(foreign), { code: 'flows.newer', exit: 5 })
  database.close()
})

test('a full disk and a server that is gone are said in words; a bug is not', () => {
  const full = Object.assign(new Error('database or disk is full'), { errcode: 13 })
  const said = explainSqlite('/home/runs.db', full)
  assert.ok(said instanceof CordonError && said.code === 'flows.disk-full' && said.exit === 5)
  const target = { host: 'db', port: 5432, database: 'x', password: 'canary', ssl: false } as const
  const gone = explainPostgres(target, Object.assign(new Error('no'), { code: 'CONNECT_TIMEOUT' }))
  assert.ok(gone instanceof CordonError && gone.code === 'flows.unreachable')
  assert.doesNotMatch(`${gone.message} ${gone.hint}`, /canary/)
  const bug = new TypeError('x is undefined')
  assert.equal(explainSqlite('/home/runs.db', bug), bug)
})
