import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import type { ShownText } from '../api/show-turn.ts'
import { AnswerWriter } from './answer-writer.ts'

function written(texts: readonly ShownText[], isTTY = true): string {
  const output = Object.assign(new PassThrough(), { isTTY })
  const writer = new AnswerWriter(output)
  for (const text of texts) writer.write(text)
  writer.end()
  return String(output.read() ?? '')
}

const piecesOf = (text: string): readonly ShownText[] =>
  text.split('').map((unit) => ({ kind: 'piece', text: unit }))

test('escape sequences are spelled out, wherever they are split into pieces', () => {
  const evil = 'a\u001b]0;owned\u0007\u009b2J\u001b[2K\u202eb'
  for (let at = 0; at <= evil.length; at += 1) {
    const halves = [evil.slice(0, at), evil.slice(at)]
    const shown = written(halves.map((text) => ({ kind: 'piece', text })))
    assert.equal(shown, 'a\\u001b]0;owned\\u0007\\u009b2J\\u001b[2K\\u202eb\n')
  }
})

test('a character whose halves come in two pieces is one: emoji appear, hidden tags are spelled out', () => {
  assert.equal(written(piecesOf('👍 \u{e0041}.')), '👍 \\ue0041.\n')
  assert.equal(written(piecesOf('one\r\ntwo\r')), 'one\ntwo\n')
  assert.equal(written([{ kind: 'piece', text: 'half \ud83d' }]), 'half \ufffd\n')
})

test('a line begins on a row of its own after a piece, and a remark is dim where colours are', () => {
  const texts: ShownText[] = ['plan', { kind: 'piece', text: 'an answer' }, 'next']
  const quiet: ShownText = { kind: 'quiet', text: 'tiny · 7 tokens\u001b[2J' }
  const shown = written([...texts, quiet])
  assert.ok(shown.startsWith('plan\nan answer\nnext\n\u001b[2mtiny'), JSON.stringify(shown))
  assert.equal(
    stripVTControlCharacters(shown),
    'plan\nan answer\nnext\ntiny · 7 tokens\\u001b[2J\n',
  )
  assert.ok(!written([quiet], false).includes('\u001b'))
})
