/** The sync of a write-ahead log: shared by those that wait, and never claimed after it failed. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createWalSync } from './wal-sync.ts'

/** Syncs that end when the test says so. */
function held() {
  const syncs: PromiseWithResolvers<void>[] = []
  const wal = createWalSync(() => {
    const sync = Promise.withResolvers<void>()
    syncs.push(sync)
    return sync.promise
  })
  return { wal, syncs }
}

async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  await nextTurn()
  return await Promise.race([promise.then(() => true), Promise.resolve(false)])
}

test('commits at the same time share one sync; one during a sync waits for the next', async () => {
  const { wal, syncs } = held()
  const first = [wal.sync(), wal.sync()]
  await nextTurn()
  assert.equal(syncs.length, 1)
  const later = wal.sync()
  await nextTurn()
  assert.equal(syncs.length, 1, 'one at a time')
  syncs[0]?.resolve()
  await Promise.all(first)
  assert.equal(await isSettled(later), false)
  assert.equal(syncs.length, 2)
  syncs[1]?.resolve()
  await later
})

test('a commit that can wait shares the sync of another, or gets its own after a while', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] })
  const { wal, syncs } = held()
  const waiting = wal.syncSoon()
  await nextTurn()
  assert.equal(syncs.length, 0)
  const urgent = wal.sync()
  await nextTurn()
  assert.equal(syncs.length, 1)
  assert.equal(await isSettled(waiting), false)
  syncs[0]?.resolve()
  await Promise.all([waiting, urgent])
  const alone = wal.syncSoon()
  assert.equal(wal.syncSoon(), alone)
  t.mock.timers.tick(5)
  await nextTurn()
  assert.equal(syncs.length, 2)
  syncs[1]?.resolve()
  await alone
})

test('after a sync that failed none is tried again', async () => {
  const { wal, syncs } = held()
  const first = wal.sync()
  await nextTurn()
  syncs[0]?.reject(new Error('EIO'))
  await assert.rejects(first, /EIO/)
  await assert.rejects(wal.sync(), /EIO/)
  await assert.rejects(wal.syncSoon(), /EIO/)
  assert.equal(syncs.length, 1)
})
