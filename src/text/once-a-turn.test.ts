import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { onceATurn } from './once-a-turn.ts'

test('onceATurn() looks once for all who ask in one turn of the event loop, and anew in the next', async () => {
  let looks = 0
  const ask = onceATurn(() => (looks += 1))
  assert.equal(ask(), 1)
  await Promise.resolve()
  assert.equal(ask(), 1)
  await nextTurn()
  assert.equal(ask(), 2)
})

test('onceATurn() keeps no answer of a look that threw', () => {
  let looks = 0
  const ask = onceATurn(() => {
    looks += 1
    if (looks === 1) throw new Error('not now')
    return looks
  })
  assert.throws(ask, /not now/)
  assert.equal(ask(), 2)
})
