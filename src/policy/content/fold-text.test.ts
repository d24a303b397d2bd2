import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { foldText } from './fold-text.ts'

test('a text is folded as it is read, and every range leads back to the original', () => {
  const text = 'see ev\u00adil&period;com, ｆull。width and 你好。世界'
  const { plain, original } = foldText(text)
  assert.equal(plain, 'see evil.com, full.width and 你好。世界')
  const start = plain.indexOf('evil.com')
  const [from, to] = original(start, start + 'evil.com'.length)
  assert.equal(text.slice(from, to), 'ev\u00adil&period;com')
})

test('ranges of the folded text follow each other in the original, whatever the text', () => {
  const piece = fc.constantFrom(
    'a',
    '.',
    '&#46;',
    '&Tab;',
    '\u200b',
    'ﬁ',
    '。',
    '\ud800',
    '&',
    '\0',
  )
  fc.assert(
    fc.property(
      fc.array(piece).map((all) => all.join('')),
      (text) => {
        const { plain, original } = foldText(text)
        let last = 0
        for (let at = 0; at < plain.length; at += 1) {
          const [start, end] = original(at, at + 1)
          assert.ok(start < end && end <= text.length && start >= 0)
          assert.ok(end >= last)
          last = end
        }
      },
    ),
  )
})
