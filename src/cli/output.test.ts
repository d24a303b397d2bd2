import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { CordonError } from '../kernel/error.ts'
import { createOutput } from './output.ts'
import { showError } from './show-error.ts'
import type { Terminal } from './context.ts'

const EVIL = '\u001b]0;owned\u0007\u001b[8m\u009b2J\u202e\u{e0041}\r'
// oxlint-disable-next-line no-control-regex -- what a terminal would obey
const OBEYED = /(?!\n)[\p{Cc}\p{Cf}]/u

function open() {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const terminal = { stdin: process.stdin, stdout, stderr } as unknown as Terminal
  const said = (): string => `${stdout.read() ?? ''}${stderr.read() ?? ''}`
  return { terminal, said }
}

test('an answer for people moves no cursor, whoever wrote its words; its colours stay', () => {
  const { terminal, said } = open()
  const output = createOutput(terminal, false)
  output.answer({}, () => [`one ${EVIL}\ntwo`, '\u001b[32mgreen\u001b[39m'])
  output.note(EVIL)
  const text = said()
  const green = '\u001b[32mgreen\u001b[39m'
  assert.ok(text.includes(green))
  assert.ok(text.includes('one \\u001b]0;owned\\u0007\\u001b[8m'))
  assert.doesNotMatch(text.replace(green, ''), OBEYED)
})

test('an answer for programs is the same value, and harmless on a screen', () => {
  const { terminal, said } = open()
  createOutput(terminal, true).answer({ [EVIL]: [EVIL, 1] }, () => [])
  const text = said()
  assert.doesNotMatch(text, OBEYED)
  assert.deepEqual(JSON.parse(text), { [EVIL]: [EVIL, 1] })
})

test('an error is shown with what it names, and none of it is obeyed', () => {
  for (const json of [false, true]) {
    const { terminal, said } = open()
    const error = new CordonError('x.y', { exit: 5, hint: `Do ${EVIL}` }, `Cannot ${EVIL}`)
    assert.equal(showError(terminal, error, json), 5)
    const text = said()
    assert.match(text, /Cannot \\u001b\]0;owned/)
    assert.doesNotMatch(text, OBEYED)
  }
})
