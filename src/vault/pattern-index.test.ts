/** The index holds copies of secrets: clear() wipes them, and so does adding a duplicate. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PatternIndex } from './pattern-index.ts'

test('clear() wipes every pattern, and add() one that it already has', () => {
  const index = new PatternIndex()
  const first = Buffer.from('value-one')
  const second = Buffer.from('value-two')
  const again = Buffer.from('value-one')
  for (const pattern of [first, second, again]) index.add(pattern)
  assert.deepEqual(again, Buffer.alloc(9))
  assert.equal(index.matchAt(Buffer.from('value-one'), 0).end, 9)
  index.clear()
  assert.deepEqual([first, second], [Buffer.alloc(9), Buffer.alloc(9)])
  assert.equal(index.nextCandidate(Buffer.from('value-one'), 0), 9)
})

test('harmless text does not slow the search down to a comparison per byte', () => {
  const index = new PatternIndex()
  for (let i = 0; i < 1000; i += 1) index.add(Buffer.from(`${i}-secret-${i}`.padStart(24, 'k')))
  const text = Buffer.from('The quick brown fox jumps over the lazy dog. '.repeat(1000))
  let candidates = 0
  for (let at = -1; at < text.length; at = index.nextCandidate(text, at + 1)) candidates += 1
  assert.ok(candidates < text.length / 50, `${candidates} candidates`)
})
