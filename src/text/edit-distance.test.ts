import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { editDistance } from './edit-distance.ts'

test('editDistance() counts a letter too many, too few, wrong, or two swapped as one mistake', () => {
  for (const [typed, distance] of [
    ['notion', 0],
    ['nottion', 1],
    ['noton', 1],
    ['nation', 1],
    ['notoin', 1],
    ['ontoin', 2],
    ['ntoin', 2],
    ['', 6],
  ] as const) {
    assert.equal(editDistance(typed, 'notion'), distance, typed)
    assert.equal(editDistance('notion', typed), distance, typed)
  }
})

test('editDistance() is exact within reach, and beyond it only says so', () => {
  const name = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 8 })
  fc.assert(
    fc.property(name, name, fc.nat(5), (a, b, reach) => {
      const whole = editDistance(a, b)
      const within = editDistance(a, b, reach)
      assert.ok(whole <= reach ? within === whole : within > reach)
    }),
  )
})

test('editDistance() looks at no more than the beginning of a paragraph', () => {
  assert.ok(editDistance('a'.repeat(1_000_000), 'b'.repeat(1_000_000)) < 1000)
})
