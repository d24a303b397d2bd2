/** Connections of the log of runs that are lost while it is being closed: none of them may come back and stay. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import postgres from 'postgres'
import { openPostgresLog } from '../../src/flows/runs/postgres-log.ts'
import { parsePostgresUrl } from '../../src/store/postgres-url.ts'
import { openPostgres } from '../fixtures/postgres.ts'

/** The driver makes a lost connection again after about ten milliseconds; the rounds close the log around that moment. */
const ROUNDS = 10
const FIRST_MS = 8

test('a log that is closed when all its connections were just cut leaves none open', async () => {
  await using server = await openPostgres()
  const target = parsePostgresUrl(await server.createDatabase())
  const { host, database } = target
  const admin = postgres({ host, user: 'cordon', database, max: 1 })
  const isOfLog = () => admin`datname = ${database} and pid <> pg_backend_pid()`
  const open = async (): Promise<number> =>
    (await admin`select 1 from pg_stat_activity where ${isOfLog()}`).length
  const left: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    const runLog = await openPostgresLog(target, 'here')
    await runLog.claim(1000, { isScheduled: false, flows: [] })
    const lost = [runLog.countOpen(), runLog.countOpen()].map((one) => one.catch(() => 0))
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where ${isOfLog()}`
    await Promise.all(lost)
    await sleep(FIRST_MS + round)
    await runLog.close()
    await sleep(200)
    for (let look = 0; look < 20 && (await open()) > 0; look += 1) await sleep(100)
    left.push(await open())
    await admin`select pg_terminate_backend(pid) from pg_stat_activity where ${isOfLog()}`
  }
  await admin.end()
  assert.deepEqual(left, Array(ROUNDS).fill(0))
})
