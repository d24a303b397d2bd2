import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createAllowance } from './allowance.ts'

test('an allowance is used up, comes back with time, and never grows beyond itself', () => {
  let now = 0
  const takes = createAllowance({ atOnce: 10, perSecond: 2 }, () => now)
  assert.deepEqual([takes(6), takes(6), takes(4), takes(1)], [true, false, true, false])
  now = 1500
  assert.deepEqual([takes(4), takes(3), takes(1)], [false, true, false])
  now = 3_600_000
  assert.deepEqual([takes(11), takes(10), takes(1)], [false, true, false])
})
