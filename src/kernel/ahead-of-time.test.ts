import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { createAheadOfTime } from './ahead-of-time.ts'

test('what was begun ahead serves one who asks soon, and tells him its failure', async () => {
  const undone: string[] = []
  await using ahead = createAheadOfTime<string>(async (outcome) => void undone.push(outcome))
  assert.equal(ahead.take('a'), undefined)
  ahead.begin('a', async () => 'first', 1000)
  ahead.begin('a', async () => 'second', 1000)
  assert.equal(await ahead.take('a'), 'first')
  assert.equal(ahead.take('a'), undefined, 'it serves one')
  ahead.begin('b', () => Promise.reject(new Error('it was changed')), 1000)
  await assert.rejects(async () => await ahead.take('b'), /it was changed/)
  assert.deepEqual(undone, [], 'who takes it owns it')
})

test('what nobody asks for is undone: after its time, and at the end', async () => {
  const undone: string[] = []
  const ahead = createAheadOfTime<string>(async (outcome) => void undone.push(outcome))
  ahead.begin('a', async () => 'late', 20)
  await pause(60)
  assert.equal(ahead.take('a'), undefined)
  assert.deepEqual(undone, ['late'])
  ahead.begin('b', async () => 'left over', 1000)
  await ahead[Symbol.asyncDispose]()
  assert.deepEqual(undone, ['late', 'left over'])
})
