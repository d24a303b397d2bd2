import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hideKey, hideKeyInPieces } from './hide-key.ts'

const KEY = 'sk-sk-0123456789'

function shown(text: string, size: number, key: string | undefined): readonly string[] {
  const out: string[] = []
  const pieces = hideKeyInPieces(key, (piece) => out.push(piece))
  for (let at = 0; at < text.length; at += size) pieces.push(text.slice(at, at + size))
  pieces.end()
  return out
}

test('a key that a model repeats is hidden, however it is split over the pieces of a stream', () => {
  const text = `You sent ${KEY}, sk-, ${KEY}${KEY} and sk-sk-01`
  const hidden = 'You sent [redacted], sk-, [redacted][redacted] and sk-sk-01'
  assert.equal(hideKey(text, KEY), hidden)
  for (let size = 1; size <= text.length; size += 1) {
    assert.equal(shown(text, size, KEY).join(''), hidden, `${size}`)
  }
})

test('text that cannot begin the key is not held back', () => {
  assert.deepEqual(shown('one two', 4, KEY), ['one ', 'two'])
  assert.deepEqual(shown('one sk-', 7, undefined), ['one sk-'])
})
