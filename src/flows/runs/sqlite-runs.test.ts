/** The SQLite file of runs: private, refused if it is no database, and freed of the leases of a dead process. */
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { after, test } from 'node:test'
import { CordonError } from '../../kernel/error.ts'
import { explainPostgres, explainSqlite } from './run-errors.ts'
import type { RunTable } from './run-table.ts'
import { openSqliteRuns } from './sqlite-runs.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'cordon-runs-'))
after(() => rmSync(folder, { recursive: true }))

async function create(table: RunTable, run: string): Promise<string> {
  await table.create(run, '{}')
  return (await table.idOf(run)) ?? assert.fail()
}

test('the file is for its owner alone, and a run is found by the name it was given', async () => {
  const file = path.join(folder, 'a.db')
  const table = await openSqliteRuns(file)
  const id = await create(table, 'mine')
  assert.equal(await table.idOf('mine'), id)
  assert.equal(await table.idOf('other'), undefined)
  assert.equal(statSync(file).mode & 0o777, 0o600)
  assert.equal(statSync(`${file}-wal`).mode & 0o777, 0o600)
  await table.close()
})

test('what a dead process held is free when the file is opened again', async () => {
  const file = path.join(folder, 'b.db')
  const table = await openSqliteRuns(file)
  await create(table, 'mine')
  const lease = { leaseDurationMs: 60_000 }
  assert.ok(await table.backend.claimWorkflowRun({ workerId: 'dead', ...lease }))
  assert.equal(await table.backend.claimWorkflowRun({ workerId: 'next', ...lease }), null)
  const again = await openSqliteRuns(file)
  const run = await again.backend.claimWorkflowRun({ workerId: 'next', ...lease })
  assert.equal(run?.idempotencyKey, 'mine')
  await again.close()
  await table.close()
})

test('the log of a long run is written back to the file while the run goes on', async () => {
  const file = path.join(folder, 'long.db')
  const table = await openSqliteRuns(file)
  await create(table, 'long')
  const workerId = 'ours'
  const { id: workflowRunId } = (await table.claim(workerId, 60_000)) ?? assert.fail()
  for (let step = 0; step < 1200; step += 1) {
    const begun = { workflowRunId, workerId, stepName: `s${step}`, config: {}, context: null }
    const { id } = await table.backend.createStepAttempt({ ...begun, kind: 'function' })
    const done = { workflowRunId, workerId, stepAttemptId: id, output: 'x' }
    await table.backend.completeStepAttempt(done)
  }
  const pages = statSync(`${file}-wal`).size / 4096
  assert.ok(pages < 5000, `${pages} pages`)
  await table.close()
})

test('an open run is counted until it ends, and a run that nobody may claim is not claimed', async () => {
  const table = await openSqliteRuns(path.join(folder, 'count.db'))
  assert.equal(await table.claim('ours', 60_000), null)
  const workflowRunId = await create(table, 'mine')
  assert.equal(await table.countOpen(), 1)
  assert.deepEqual(await table.idsOfOpen(10), [workflowRunId])
  assert.equal((await table.claim('ours', 60_000))?.id, workflowRunId)
  assert.equal(await table.claim('ours', 60_000), null)
  await table.backend.cancelWorkflowRun({ workflowRunId })
  assert.equal(await table.countOpen(), 0)
  await table.close()
})

test('runs that ended long ago are forgotten, with their steps', async () => {
  const table = await openSqliteRuns(path.join(folder, 'c.db'))
  const workflowRunId = await create(table, 'old')
  await create(table, 'open')
  await table.backend.cancelWorkflowRun({ workflowRunId })
  await table.forget(new Date(Date.now() - 3_600_000))
  assert.notEqual(await table.idOf('old'), undefined)
  await table.forget(new Date(Date.now() + 1000))
  assert.equal(await table.idOf('old'), undefined)
  assert.notEqual(await table.idOf('open'), undefined)
  await table.close()
})

test('a file that is no database is refused, and left as it is', async () => {
  const file = path.join(folder, 'd.db')
  writeFileSync(file, 'something else entirely, and long enough to be read as a page'.repeat(100))
  await assert.rejects(openSqliteRuns(file), { code: 'flows.damaged', exit: 5 })
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
