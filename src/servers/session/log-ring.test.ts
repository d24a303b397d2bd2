import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Redactor } from '../../kernel/ports.ts'
import { createLogRing } from './log-ring.ts'

/** Hides `secret` where it stands whole; a stream passes as it is. */
const redactor: Redactor = {
  redact: (text) => text.replaceAll('secret', '*'),
  stream: () => ({ push: (chunk) => Buffer.from(chunk), end: () => Buffer.alloc(0) }),
}

function open() {
  const ring = createLogRing(redactor, () => 0)
  const texts = (): readonly string[] => ring.lines().map(({ text }) => text)
  return { ring, texts }
}

test('a secret is hidden though invisible characters split it, and nothing moves a cursor', () => {
  const { ring, texts } = open()
  ring.add('egress', 'a sec\u200bret\u001b[2J')
  const stream = ring.follow('stderr')
  stream.push(Buffer.from('one se\u202ecret\r\ntwo sec'))
  stream.push(Buffer.from('\u2060ret'))
  stream.end()
  assert.deepEqual(texts(), ['a *[2J', 'one *', 'two *'])
})

test('of an error that is written out with its stack and its fields, what was last said is the message', () => {
  const { ring } = open()
  ring.begin()
  const said = ring.follow('stderr')
  said.push(
    Buffer.from(`starting
Fatal error: password authentication failed
    at Parser.parse (/app/parser.js:1:2) {
  length: 103,
  severity: 'FATAL',
  routine: 'auth_failed'
}
Node.js v24.0.0
`),
  )
  said.end()
  assert.deepEqual(ring.last(5), ['starting', 'Fatal error: password authentication failed'])
})

test('every line has a number of its own, also those of one moment', () => {
  const { ring } = open()
  for (const text of ['a', 'b', 'c']) ring.add('cordon', text)
  assert.deepEqual(
    ring.lines().map(({ seq, at, text }) => [seq, at, text]),
    ['a', 'b', 'c'].map((text, index) => [index + 1, new Date(0).toISOString(), text]),
  )
})

test('a secret at the limit of a line is hidden before the line is cut', () => {
  for (const length of [4090, 4093, 8189, 8191]) {
    const { ring, texts } = open()
    const line = `${'x'.repeat(length)}secret`
    ring.add('egress', line)
    const stream = ring.follow('stderr')
    stream.push(Buffer.from(line.slice(0, -1)))
    stream.push(Buffer.from(`${line.slice(-1)}${'\u200b'.repeat(9000)}`))
    stream.end()
    for (const text of texts()) assert.match(text, /^x+\*?…?$/, `${length}`)
    assert.equal(texts().length, 2)
  }
})
