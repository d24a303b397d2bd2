import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { diffLines } from './diff-lines.ts'

test('a diff holds the whole new text and the whole old one, and keeps what both have', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 })
  fc.assert(
    fc.property(lines, lines, (before, now) => {
      const diff = diffLines(before, now)
      const without = (mark: string): string[] =>
        diff.filter((line) => !line.startsWith(mark)).map((line) => line.slice(2))
      assert.deepEqual(without('-'), now)
      assert.deepEqual(without('+'), before)
    }),
  )
  assert.deepEqual(diffLines(['a', 'b', 'c'], ['a', 'x', 'c']), ['  a', '- b', '+ x', '  c'])
  const many = Array.from({ length: 5000 }, (_, at) => `${at}`)
  assert.equal(diffLines(many, many.toReversed()).length, 10_000)
})
