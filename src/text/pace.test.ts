import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPace } from './pace.ts'

test('createPace() owes nothing within the amount, then the time that the rest takes', () => {
  let clock = 0
  const owed = createPace({ atOnce: 100, perSecond: 10 }, () => clock)
  assert.equal(owed(100), 0)
  assert.equal(owed(10), 1000)
  clock = 1000
  assert.equal(owed(5), 500)
  clock = 1_000_000
  assert.equal(owed(100), 0)
  assert.equal(owed(1), 100)
})

test('createPace() is not fooled by a clock that goes back', () => {
  let clock = 1000
  const owed = createPace({ atOnce: 10, perSecond: 10 }, () => clock)
  clock = 0
  assert.equal(owed(10), 0)
  assert.equal(owed(10), 1000)
})
