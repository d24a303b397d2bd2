/** Runs of a Cordon that kept them in tables of openworkflow: open ones go on, the others stay on record. */
import assert from 'node:assert/strict'
import { copyFileSync, existsSync, mkdtempSync, renameSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, test } from 'node:test'
import { openSqliteLog } from './sqlite-log.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-older-'))
after(() => rmSync(folder, { recursive: true }))

const ALL = { isScheduled: false, flows: [] }
const TIME = '2026-01-02T03:04:05.678Z'
/** Values were JSON texts inside JSON columns. */
const twice = (value: unknown): string => JSON.stringify(JSON.stringify(value))

/** The columns that the import reads. */
function createOlder(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  database.exec(`PRAGMA journal_mode = WAL;
    CREATE TABLE workflow_runs (id, status, idempotency_key, input, output, error, created_at, finished_at);
    CREATE TABLE step_attempts (workflow_run_id, step_name, kind, status, config, output, error,
      created_at, finished_at)`)
  return database
}

function addRun(database: DatabaseSync, id: string, status: string, ends: object = {}): void {
  const { output = null, error = null } = ends as { output?: string; error?: string }
  const ended = status === 'running' ? null : TIME
  database
    .prepare('INSERT INTO workflow_runs VALUES (?, ?, ?, ?, ?, ?, ?, ?)')
    .run(`row of ${id}`, status, id, twice({ flow: 'mine', n: id }), output, error, TIME, ended)
}

function addStep(
  database: DatabaseSync,
  [id, number]: readonly [string, number],
  [name, kind, status]: readonly [string, string, string],
  ends: object = {},
): void {
  const { output = null, error = null } = ends as { output?: string; error?: string }
  const config = twice({ number, note: { node: name } })
  database
    .prepare('INSERT INTO step_attempts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)')
    .run(`row of ${id}`, name, kind, status, config, output, error, TIME, output && TIME)
}

test('open runs are there at once, with their steps; the others follow, and the older file is deleted', async () => {
  const file = path.join(folder, 'runs.db')
  const older = createOlder(file)
  addRun(older, 'open', 'running')
  addStep(older, ['open', 1], ['a', 'function', 'completed'], { output: twice({ x: 1 }) })
  addStep(older, ['open', 2], ['before:b', 'function', 'failed'], {
    error: JSON.stringify({ message: JSON.stringify({ action: 'error' }) }),
  })
  addStep(older, ['open', 3], ['b', 'function', 'running'])
  addStep(older, ['open', 4], ['b?12345678', 'signal-wait', 'running'])
  addRun(older, 'good', 'completed', { output: twice({ whole: 7 }) })
  addStep(older, ['good', 1], ['a', 'function', 'completed'], { output: twice(null) })
  const error = JSON.stringify({ message: JSON.stringify({ code: 'flows.x' }) })
  addRun(older, 'bad', 'failed', { error })
  addRun(older, 'left', 'canceled')
  older.close()

  const runLog = await openSqliteLog(file)
  assert.ok(existsSync(`${file}-older`))
  const open = (await runLog.claim(1000, ALL)) ?? assert.fail()
  assert.deepEqual([open.id, open.flow, open.isNew], ['open', 'mine', false])
  assert.deepEqual(JSON.parse(open.input), { flow: 'mine', n: 'open' })
  const steps = await runLog.steps('open')
  assert.deepEqual(
    steps.map(({ number, name, state, isBefore, note, result }) => {
      return [number, name, state, isBefore, note, result]
    }),
    [
      [1, 'a', 'done', false, { node: 'a' }, { x: 1 }],
      [2, 'b', 'failed', true, { node: 'before:b' }, { action: 'error' }],
      [3, 'b', 'begun', false, { node: 'b' }, undefined],
    ],
  )
  while (await runLog.tidySome(Date.now()));
  assert.equal(existsSync(`${file}-older`), false)
  const good = await runLog.find('good')
  assert.deepEqual([good?.state, good?.output], ['completed', { whole: 7 }])
  assert.equal(good?.startedAt.toISOString(), TIME)
  assert.equal((await runLog.steps('good')).length, 1)
  const bad = await runLog.find('bad')
  assert.deepEqual([bad?.state, bad?.problem], ['failed', { code: 'flows.x' }])
  assert.equal((await runLog.find('left'))?.state, 'cancelled')
  await runLog.close()
})

test('a run without an end from before is ended with a reason, and holds up nothing', async () => {
  const file = path.join(folder, 'endless.db')
  const older = createOlder(file)
  addRun(older, 'endless', 'running')
  older.exec(`INSERT INTO step_attempts
    WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20001)
    SELECT 'row of endless', 's' || i, 'function', 'running', '{}', NULL, NULL, '${TIME}', NULL FROM n`)
  older.close()
  const runLog = await openSqliteLog(file)
  const run = await runLog.find('endless')
  assert.equal(run?.state, 'failed')
  assert.equal((run.problem as { code: string }).code, 'flows.too-many-steps')
  assert.equal(await runLog.claim(1000, ALL), undefined)
  await runLog.close()
})

test('a run that was forgotten while the import went on does not come back', async () => {
  const file = path.join(folder, 'forgotten.db')
  const older = createOlder(file)
  addRun(older, 'open', 'running')
  addRun(older, 'good', 'completed', { output: twice(null) })
  older.close()
  const first = await openSqliteLog(file)
  await first.cancel('open')
  await first.forget('open')
  await first.close()
  const again = await openSqliteLog(file)
  assert.equal(await again.find('open'), undefined)
  while (await again.tidySome(Date.now()));
  assert.equal(await again.find('open'), undefined)
  assert.equal((await again.find('good'))?.state, 'completed')
  await again.close()
})

/** As a process that was killed leaves it: all of it in the write-ahead log. */
function leaveInLog(file: string): number {
  const writing = `${file}-writing`
  const older = createOlder(writing)
  older.exec('PRAGMA wal_autocheckpoint = 0')
  addRun(older, 'open', 'running')
  addRun(older, 'good', 'completed', { output: twice('x'.repeat(1_000_000)) })
  for (const part of ['', '-wal']) copyFileSync(`${writing}${part}`, `${file}${part}`)
  older.close()
  return statSync(`${file}-wal`).size
}

test('a long write-ahead log of the older file is not written back before it is read, and goes with it', async () => {
  const file = path.join(folder, 'log.db')
  const size = leaveInLog(file)
  const runLog = await openSqliteLog(file)
  assert.equal((await runLog.find('open'))?.state, 'running')
  assert.equal(statSync(`${file}-older-wal`).size, size)
  while (await runLog.tidySome(Date.now()));
  assert.equal((await runLog.find('good'))?.output, 'x'.repeat(1_000_000))
  assert.deepEqual(
    ['', '-wal', '-shm'].filter((part) => existsSync(`${file}-older${part}`)),
    [],
  )
  await runLog.close()
})

test('an older file is found whole by the next process, if one died while it was moved aside', async () => {
  const file = path.join(folder, 'half.db')
  leaveInLog(file)
  renameSync(`${file}-wal`, `${file}-older-wal`)
  const runLog = await openSqliteLog(file)
  assert.equal((await runLog.find('open'))?.state, 'running')
  await runLog.close()
})
