import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { wordDiff } from './word-diff.ts'

test('wordDiff() marks the words that differ, and leaves the rest', () => {
  assert.deepEqual(wordDiff('reads a file', 'reads and sends a file'), [
    { kind: 'same', text: 'reads ' },
    { kind: 'new', text: 'and sends ' },
    { kind: 'same', text: 'a file' },
  ])
  assert.deepEqual(wordDiff('', 'new'), [{ kind: 'new', text: 'new' }])
  assert.deepEqual(wordDiff('same', 'same'), [{ kind: 'same', text: 'same' }])
})

test('wordDiff() holds every letter of both texts', () => {
  const words = fc.array(fc.constantFrom('a', 'b', 'send', ' ', '\n')).map((all) => all.join(''))
  fc.assert(
    fc.property(words, words, (before, now) => {
      const pieces = wordDiff(before, now)
      const without = (kind: string) =>
        pieces.filter((piece) => piece.kind !== kind).map(({ text }) => text)
      assert.equal(without('new').join(''), before)
      assert.equal(without('gone').join(''), now)
    }),
  )
})

test('wordDiff() shows both texts whole where comparing them would take too long', () => {
  const long = (word: string): string =>
    Array.from({ length: 5000 }, (_, at) => word + at).join(' ')
  const pieces = wordDiff(long('a'), long('b'))
  assert.deepEqual([...new Set(pieces.map(({ kind }) => kind))], ['gone', 'new'])
})
