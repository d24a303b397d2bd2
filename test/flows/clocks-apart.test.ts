/** Times in a shared database: old runs that are deleted, and runs that wait, whatever the clocks say. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import postgres, { type Sql } from 'postgres'
import { openPostgresLog } from '../../src/flows/runs/postgres-log.ts'
import { parsePostgresUrl } from '../../src/store/postgres-url.ts'
import { openPostgres } from '../fixtures/postgres.ts'

const DAY_MS = 24 * 3_600_000
const ALL = { isScheduled: false, flows: [] }

function connect({ host, database }: ReturnType<typeof parsePostgresUrl>): Sql {
  return postgres({ host, user: 'cordon', database, max: 1 })
}

test('runs are kept by the clock of the database, not by that of the kernel that deletes old ones', async (t) => {
  await using server = await openPostgres()
  const runLog = await openPostgresLog(parsePostgresUrl(await server.createDatabase()), 'here')
  await runLog.create({ id: 'r', flow: 'f', isScheduled: false, input: 'null' })
  await runLog.cancel('r')
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + 31 * DAY_MS })
  await runLog.tidySome(30 * DAY_MS)
  assert.equal((await runLog.find('r'))?.state, 'cancelled')
  await runLog.tidySome(-1000)
  assert.equal(await runLog.find('r'), undefined)
  await runLog.close()
})

test('a run that waits is not held up by a database whose clock is set back by hours', async () => {
  await using server = await openPostgres()
  const target = parsePostgresUrl(await server.createDatabase())
  const runLog = await openPostgresLog(target, 'here')
  const claim = () => runLog.claim(60_000, ALL)
  await runLog.create({ id: 'r', flow: 'f', isScheduled: false, input: 'null' })
  const first = (await claim()) ?? assert.fail()
  await runLog.settle(first.claim, { state: 'open', delayMs: 10_000 })
  assert.equal(await claim(), undefined)
  const admin = connect(target)
  await admin`UPDATE cordon_flows.run SET due_at = due_at + interval '2 hours'`
  await admin.end()
  assert.equal((await claim())?.id, 'r')
  await runLog.close()
})

test('a failed run that its owner reopens while old runs are deleted is kept, with its steps', async () => {
  await using server = await openPostgres()
  const target = parsePostgresUrl(await server.createDatabase())
  const runLog = await openPostgresLog(target, 'here')
  await runLog.create({ id: 'r', flow: 'f', isScheduled: false, input: 'null' })
  const { claim } = (await runLog.claim(60_000, ALL)) ?? assert.fail()
  await runLog.add(claim, [{ number: 1, name: 's', kind: 'step', note: '{}' }])
  await runLog.settle(claim, { state: 'failed', outcome: 'null' })
  const admin = connect(target)
  let deleting: Promise<boolean> | undefined
  await admin.begin(async (reopening) => {
    await reopening`UPDATE cordon_flows.run SET state = 'running', ended_at = NULL`
    deleting = runLog.tidySome(-1000)
    await pause(300) // it waits for the row
  })
  await deleting
  assert.equal((await runLog.find('r'))?.state, 'running')
  assert.equal((await runLog.steps('r')).length, 1)
  await admin.end()
  await runLog.close()
})
