import assert from 'node:assert/strict'
import test from 'node:test'
import { createTokenBucket } from './token-bucket.ts'

test('createTokenBucket() allows so many at once, then so many a second, and saves up no more', () => {
  let now = 0
  const take = createTokenBucket(20, () => now)
  const takeMany = (): number => Array.from({ length: 100 }, take).filter(Boolean).length
  assert.equal(takeMany(), 20)
  now += 100
  assert.equal(takeMany(), 2)
  now += 60_000
  assert.equal(takeMany(), 20)
})

test('createTokenBucket() is not opened by a clock that is set back', () => {
  let now = 10_000
  const take = createTokenBucket(1, () => now)
  assert.ok(take())
  now = 0
  assert.equal(take(), false)
  now = 1000
  assert.ok(take())
})
