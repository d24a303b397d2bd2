import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shellWord } from './shell-word.ts'

test('shellWord() leaves no sign to the shell', () => {
  assert.equal(shellWord('notes.find'), 'notes.find')
  assert.equal(shellWord('0 9 * * 1'), "'0 9 * * 1'")
  assert.equal(shellWord("it's $(rm)"), String.raw`'it'\''s $(rm)'`)
  assert.equal(shellWord(''), "''")
})
