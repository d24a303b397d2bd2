import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createForwardClock } from './forward-clock.ts'

test('a clock for waits goes forward with the wall clock, and on with the monotonic one when that is set back', (t) => {
  let [wall, steady] = [1_000_000, 500]
  t.mock.method(performance, 'now', () => steady)
  const clock = createForwardClock(() => wall)
  assert.equal(clock(), 1_000_000)
  wall += 8000 // the machine was suspended
  assert.equal(clock(), 1_008_000)
  wall -= 600_000
  steady += 5000
  assert.equal(clock(), 1_013_000)
  wall += 700_000
  assert.equal(clock(), wall)
})
