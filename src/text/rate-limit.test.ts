import assert from 'node:assert/strict'
import test from 'node:test'
import { createRateLimit } from './rate-limit.ts'

test('createRateLimit() allows so many at once, then so many a second, and saves up no more', () => {
  let now = 0
  const take = createRateLimit({ atOnce: 20, perSecond: 20 }, () => now)
  const takeMany = (): number => Array.from({ length: 100 }, () => take()).filter(Boolean).length
  assert.equal(takeMany(), 20)
  now += 100
  assert.equal(takeMany(), 2)
  now += 60_000
  assert.equal(takeMany(), 20)
})

test('createRateLimit() takes an amount whole or not at all', () => {
  let now = 0
  const take = createRateLimit({ atOnce: 10, perSecond: 2 }, () => now)
  assert.deepEqual([take(6), take(6), take(4), take(1)], [true, false, true, false])
  now = 1500
  assert.deepEqual([take(4), take(3), take(1)], [false, true, false])
  now = 3_600_000
  assert.deepEqual([take(11), take(10), take(1)], [false, true, false])
})

test('createRateLimit() is not opened by a clock that is set back', () => {
  let now = 10_000
  const take = createRateLimit({ atOnce: 1, perSecond: 1 }, () => now)
  assert.ok(take())
  now = 0
  assert.equal(take(), false)
  now = 1000
  assert.ok(take())
})
