/** A kernel whose clock is a month ahead of the database that it shares: it deletes nothing that others still keep. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
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
