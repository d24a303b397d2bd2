import assert from 'node:assert/strict'
import { test } from 'node:test'
import { quietEntities } from './quiet-entities.ts'
import { splitText } from './split-text.ts'

test('splitText() loses nothing, cuts at lines and spaces, and never in a character', () => {
  const family = '👨‍👩‍👧‍👦'
  const texts = [
    'one\ntwo '.repeat(3000),
    '👍🏽'.repeat(3000),
    family.repeat(1000),
    'e\u0301'.repeat(5000),
    'x'.repeat(9000),
  ]
  for (const text of texts) {
    const pieces = splitText(text)
    assert.equal(pieces.join(''), text)
    for (const piece of pieces) {
      assert.ok(piece.length <= 4096 && piece.isWellFormed(), String(piece.length))
      assert.doesNotMatch(piece, /^[\u0301\u200d]|^\p{Emoji_Modifier}/u)
    }
  }
  assert.deepEqual(splitText('word '.repeat(4), 12), ['word word ', 'word word '])
  assert.deepEqual(splitText(' \n '), [])
})

test('splitText() splits a pile of marks that is longer than a message', () => {
  const pile = `a${'\u0301'.repeat(9000)}`
  assert.equal(splitText(pile).join(''), pile)
})

test('quietEntities() marks every word that Telegram could make a link of, except links of our own', () => {
  const link = 'https://sign-in.test/a?b=1'
  const text = `Open ${link} not http://x.test, mail a@b.test, run /evil #tag $TAG x.io +4915112345 a/b 10.0.0.1`
  const marked = quietEntities(text, [link]).map(({ offset, length }) => {
    return text.slice(offset, offset + length)
  })
  assert.deepEqual(marked, [
    'http://x.test,',
    'a@b.test,',
    '/evil',
    '#tag',
    '$TAG',
    'x.io',
    '+4915112345',
    '10.0.0.1',
  ])
  assert.deepEqual(quietEntities('a plain sentence, nothing more. And so on...'), [])
  assert.deepEqual(quietEntities('@x '.repeat(200)), [{ type: 'pre', offset: 0, length: 600 }])
})
