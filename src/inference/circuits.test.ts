import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCircuits } from './circuits.ts'

function atTime() {
  const clock = { ms: 1_000_000 }
  return { clock, circuits: createCircuits(() => clock.ms) }
}

test('three failures within a minute degrade a profile for five minutes, and no other', () => {
  const { clock, circuits } = atTime()
  circuits.failed('a')
  clock.ms += 29_000
  circuits.failed('a')
  assert.equal(circuits.openUntil('a'), undefined)
  clock.ms += 29_000
  circuits.failed('a')
  assert.equal(circuits.openUntil('a'), clock.ms + 300_000)
  assert.equal(circuits.openUntil('b'), undefined)
  clock.ms += 300_000
  assert.equal(circuits.openUntil('a'), undefined)
})

test('failures further apart, or with an answer between them, degrade nothing', () => {
  const { clock, circuits } = atTime()
  for (let round = 0; round < 5; round += 1) {
    circuits.failed('a')
    clock.ms += 31_000
  }
  assert.equal(circuits.openUntil('a'), undefined)
  for (const _ of [1, 2]) circuits.failed('b')
  circuits.answered('b')
  circuits.failed('b')
  assert.equal(circuits.openUntil('b'), undefined)
})

test('a provider that names a time is left alone until then, for at most five minutes', () => {
  const { clock, circuits } = atTime()
  circuits.pause('a', 40_000)
  assert.equal(circuits.openUntil('a'), clock.ms + 40_000)
  circuits.pause('a', 999_999_000)
  assert.equal(circuits.openUntil('a'), clock.ms + 300_000)
  circuits.pause('a', 1)
  assert.equal(circuits.openUntil('a'), clock.ms + 300_000)
  circuits.answered('a')
  assert.equal(circuits.openUntil('a'), undefined)
})
