import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createYielding } from './yield-often.ts'

test('a turn of the event loop is given after 20 ms of work, and not before', async () => {
  let now = 0
  let turns = 0
  const yieldOften = createYielding(() => now)
  const count = (): void => {
    turns += 1
  }
  setImmediate(count)
  for (now = 0; now < 20; now += 1) await yieldOften()
  assert.equal(turns, 0)
  await yieldOften()
  assert.equal(turns, 1)
  setImmediate(count)
  await yieldOften()
  assert.equal(turns, 1)
})

test('of several that work at the same time all wait for the same turn', async () => {
  let now = 0
  const yieldOften = createYielding(() => now)
  const order: string[] = []
  const work = async (name: string): Promise<void> => {
    await yieldOften()
    order.push(name)
  }
  now = 20
  setImmediate(() => order.push('loop'))
  await Promise.all([work('a'), work('b')])
  assert.deepEqual(order, ['loop', 'a', 'b'])
})
