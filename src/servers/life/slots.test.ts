import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSlots, type Evictable } from './slots.ts'

interface Runner extends Evictable {
  isUnused: boolean
  slot: Disposable | undefined
}

function runner(lastUsed: number): Runner {
  const self: Runner = {
    lastUsed,
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
  const slots = createSlots(2)
  const [old, busy, next] = [runner(2), runner(1), runner(3)]
  old.slot = await slots.take(old)
  busy.slot = await slots.take(busy)
  busy.isUnused = false
  next.slot = await slots.take(next)
  assert.equal(old.slot, undefined)
  assert.ok(busy.slot)
  next.isUnused = false
  await assert.rejects(slots.take(runner(4)), { code: 'servers.too-many' })
  await next.stop()
  assert.ok(await slots.take(runner(5)))
})

test('many who ask at once are never more than there is room for', async () => {
  const slots = createSlots(3)
  const all = Array.from({ length: 20 }, (_, index) => runner(index))
  await Promise.all(
    all.map(async (one) => {
      one.slot = await slots.take(one)
      assert.ok(all.filter(({ slot }) => slot).length <= 3)
    }),
  )
})
