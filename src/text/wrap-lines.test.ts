import assert from 'node:assert/strict'
import { test } from 'node:test'
import { wrapLines } from './wrap-lines.ts'

test('a long line is broken between words, and keeps its indent', () => {
  assert.equal(wrapLines('one two three four five six', 20), 'one two three four\nfive six')
  assert.equal(wrapLines('  path: one two three four', 20), '  path: one two\n  three four')
  assert.equal(wrapLines('short\n\nlines', 20), 'short\n\nlines')
})

test('every row of others’ words is marked as theirs', () => {
  const rows = wrapLines(`│ ${'word '.repeat(30).trim()}\nmine`, 24).split('\n')
  assert.ok(rows.length > 6)
  assert.ok(rows.slice(0, -1).every((row) => row.startsWith('│ word') && row.length <= 24))
})

test('columns between words stay, a longer word is left whole, and nothing is lost', () => {
  assert.equal(wrapLines('a   b   c   d   e   f   g', 22), 'a   b   c   d   e   f\ng')
  const link = `see https://x.example/${'a'.repeat(40)} now`
  assert.equal(wrapLines(link, 20).replaceAll('\n', ' '), link)
  assert.equal(wrapLines(link, undefined), link)
})
