/** The clock of a shared database, against that of a kernel a month ahead, and where it is set back itself. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import postgres from 'postgres'
import { openPostgresLog } from '../../src/flows/runs/postgres-log.ts'
import { parsePostgresUrl } from '../../src/store/postgres-url.ts'
import { openPostgres } from '../fixtures/postgres.ts'

const DAY_MS = 24 * 3_600_000

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
  const claim = () => runLog.claim(60_000, { isScheduled: false, flows: [] })
  await runLog.create({ id: 'r', flow: 'f', isScheduled: false, input: 'null' })
  const first = (await claim()) ?? assert.fail()
  await runLog.settle(first.claim, { state: 'open', delayMs: 10_000 })
  assert.equal(await claim(), undefined)
  const admin = postgres({ host: target.host, user: 'cordon', database: target.database, max: 1 })
  await admin`UPDATE cordon_flows.run SET due_at = due_at + interval '2 hours'`
  await admin.end()
  assert.equal((await claim())?.id, 'r')
  await runLog.close()
})
