import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cutText, holdsUnseen, printable, seenLine, seenText } from './untrusted-text.ts'

test('control characters, hidden text and bidirectional marks are removed', () => {
  const unseen =
    '\u0000\u0007\u001b\r\u007f\u009b\u00ad\u061c\u200b\u200e\u202e\u2028\u2066\ufeff\u{e0041}'
  assert.equal(seenText(`a${unseen}b\tc\nd é 漢`), 'ab\tc\nd é 漢')
  assert.equal(seenLine(` a${unseen}b\t c\n\nd `, 10), 'ab c d')
})

test('invisible characters are removed too', () => {
  assert.equal(seenText('a\ufe0fb\u3164c\u034fd\u{e0000}e'), 'abcde')
})

test('a cut is marked, and leaves no half of a character', () => {
  assert.equal(cutText('abc', 3), 'abc')
  assert.equal(cutText('abcd', 3), 'abc…')
  assert.ok(cutText('ab😀d', 3).isWellFormed())
})

test('a terminal is shown the characters that it would obey', () => {
  assert.equal(printable('\u001b]52;c;x\u0007\u009b2J\r'), '\\u001b]52;c;x\\u0007\\u009b2J\\u000d')
  assert.equal(printable('a\u202eb\u{e0041}'), 'a\\u202eb\\ue0041')
  assert.equal(printable('one\r\ntwo\rthree'), 'one\ntwo\\u000dthree')
  assert.equal(printable('one\n\ttwo 👩‍💻'), 'one\n\ttwo 👩‍💻')
})

test('holdsUnseen() finds what draws nothing, and nothing in ordinary text', () => {
  for (const unseen of ['\u3164', '\u200d', '\u2800', '\u202e', '\u{e0041}', '\u001b']) {
    assert.ok(holdsUnseen(`acc${unseen}ount`), JSON.stringify(unseen))
  }
  assert.ok(!holdsUnseen('one\n\ttwo é 漢'))
})
