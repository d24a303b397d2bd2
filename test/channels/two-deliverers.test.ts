/**
 * Two processes that deliver the results of schedules over one PostgreSQL: each result is sent once, by one of them; also
 * if one is killed while it sends, in which case the other tells of the one whose fate nobody can know.
 */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { onlyInFull, rounds } from '../../src/kernel/test-rounds.ts'
import { openPostgres } from '../fixtures/postgres.ts'
import { startChild } from '../store/engine-under-test.ts'
import { bodyFor, expectAll, openService, settled } from './delivery-process.ts'

const RUNS = rounds(60, 20)
const REAL_LOCKS = 'store.locks'
const ids = Array.from({ length: RUNS }, (_, at) => `run-${at}`)

async function deliverByTwo(onTaken: (sender: number) => void) {
  await using postgres = await openPostgres()
  const place = { databaseUrl: postgres.url, sqlitePath: '' }
  const received: string[] = []
  using service = await openService(received, onTaken)
  await expectAll(place, ids)
  const ends = [0, 1].map(async () => {
    const child = startChild(place, bodyFor(service.address, REAL_LOCKS))
    const said = text(child.stdout)
    await once(child, 'exit')
    return await said
  })
  const said = await Promise.all(ends)
  const rows = await settled(place, received, ids)
  const sent = rows.filter(({ state }) => state === 'delivered').length
  return { sent, received, isSettled: said.map((one) => one.includes('settled')) }
}

test('CHAT-6: of two processes on one PostgreSQL, one sends each result', async () => {
  const { sent, received, isSettled } = await deliverByTwo(() => undefined)
  assert.deepEqual([sent, received.length, isSettled], [RUNS, RUNS, [true, true]])
})

test(
  'CHAT-6: one of two processes is killed while it sends, and the other sends the rest',
  onlyInFull,
  async () => {
    let taken = 0
    const { sent, isSettled } = await deliverByTwo((sender) => {
      taken += 1
      if (taken === RUNS / 4) process.kill(sender, 'SIGKILL')
    })
    assert.equal(isSettled.filter(Boolean).length, 1, 'one process ended by itself')
    assert.equal(sent, RUNS - 1, 'the one that was under way is unsure')
  },
)
