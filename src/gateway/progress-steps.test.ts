import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { ProgressSteps } from './progress-steps.ts'

test('the numbers of a server are passed on as they are, while they rise', () => {
  const steps = new ProgressSteps()
  assert.deepEqual(steps.next({ progress: 0, total: 10 }), { progress: 0, total: 10 })
  assert.deepEqual(steps.next({ progress: 3, total: 10 }), { progress: 3, total: 10 })
  assert.deepEqual(steps.next(), { progress: 3.001, total: 10 })
  assert.deepEqual(steps.next({ progress: 3, total: 10 }), { progress: 3.002, total: 10 })
  assert.deepEqual(steps.next({ progress: 4 }), { progress: 4, total: 10 })
  // More than all of it would be a share above 100 %.
  assert.deepEqual(steps.next({ progress: 11, total: 10 }), { progress: 11 })
})

test('signs of life before the first number leave room for a share of one', () => {
  const steps = new ProgressSteps()
  for (let count = 0; count < 5; count += 1) steps.next()
  assert.deepEqual(steps.next({ progress: 0.25, total: 1 }), { progress: 0.25, total: 1 })
})

test('whatever a server counts, each number is larger than the one before, and finite', () => {
  const count = fc.oneof(fc.nat(), fc.double({ min: 0, max: Number.MAX_SAFE_INTEGER, noNaN: true }))
  const said = fc.option(
    fc.record({ progress: count, total: count }, { requiredKeys: ['progress'] }),
  )
  fc.assert(
    fc.property(fc.array(said), (all) => {
      const steps = new ProgressSteps()
      const told = all.map((one) => steps.next(one ?? {}).progress)
      assert.ok(told.every((value, at) => Number.isFinite(value) && value > (told[at - 1] ?? -1)))
    }),
  )
})
