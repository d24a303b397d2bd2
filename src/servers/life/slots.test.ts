import assert from 'node:assert/strict'
import { test } from 'node:test'
import { never } from '../../kernel/test-never.ts'
import { createSlots, type Evictable } from './slots.ts'

interface Runner extends Evictable {
  isUnused: boolean
  slot: Disposable | undefined
}

function runner(lastCalled: number): Runner {
  const self: Runner = {
    lastCalled,
    isUnused: true,
    slot: undefined,
    async stop() {
      self.slot?.[Symbol.dispose]()
      self.slot = undefined
    },
  }
  return self
}

test('the longest unused makes room, and never a busy one', async () => {
  const slots = createSlots(2, 0)
  const [old, busy, next] = [runner(2), runner(1), runner(3)]
  old.slot = await slots.take(old, never)
  busy.slot = await slots.take(busy, never)
  busy.isUnused = false
  next.slot = await slots.take(next, never)
  assert.equal(old.slot, undefined)
  assert.ok(busy.slot)
  next.isUnused = false
  await assert.rejects(slots.take(runner(4), never), { code: 'servers.too-many' })
  await next.stop()
  assert.ok(await slots.take(runner(5), never))
})

test('many who ask at once are never more than there is room for', async () => {
  const slots = createSlots(3, 1000)
  const all = Array.from({ length: 20 }, (_, index) => runner(index))
  await Promise.all(
    all.map(async (one) => {
      one.slot = await slots.take(one, never)
      assert.ok(all.filter(({ slot }) => slot).length <= 3)
    }),
  )
})

test('a start waits for one that works, says so, and goes on when that one is free', async () => {
  const slots = createSlots(1, 10_000)
  const [busy, next] = [runner(1), runner(2)]
  busy.slot = await slots.take(busy, never)
  busy.isUnused = false
  const taken = slots.take(next, never)
  await new Promise(setImmediate)
  assert.equal(slots.isWaiting(next), true)
  busy.isUnused = true
  next.slot = await taken
  assert.equal(slots.isWaiting(next), false)
  assert.equal(busy.slot, undefined)
})

test('a start that is given up while it waits takes no place', async () => {
  const slots = createSlots(1, 10_000)
  const busy = runner(1)
  busy.slot = await slots.take(busy, never)
  busy.isUnused = false
  const left = new AbortController()
  const taken = slots.take(runner(2), left.signal)
  left.abort(new Error('stopped'))
  await assert.rejects(taken, { message: 'stopped' })
  await busy.stop()
  assert.ok(await slots.take(runner(3), never))
})
