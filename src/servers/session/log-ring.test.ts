import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Redactor } from '../../kernel/ports.ts'
import { createLogRing } from './log-ring.ts'

/** Redacts the unbroken word `secret` in a text; leaves a stream as it is. */
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

/** Counts the calls of the redactor, which a flood of lines must not multiply. */
function counting() {
  const counted = { redact: 0, push: 0 }
  const ring = createLogRing(
    {
      redact(text) {
        counted.redact += 1
        return redactor.redact(text)
      },
      stream() {
        const stream = redactor.stream()
        return {
          end: () => stream.end(),
          push(chunk) {
            counted.push += 1
            return stream.push(chunk)
          },
        }
      },
    },
    () => 0,
  )
  return { ring, counted }
}

test('SERVER-2: a chunk of short lines is redacted as one, and no more of it is split than is kept', (t) => {
  const { ring, counted } = counting()
  const stream = ring.follow('stderr')
  stream.push(Buffer.from('a first line\n'))
  const before = { ...counted }
  const split = t.mock.method(String.prototype, 'split')
  stream.push(Buffer.from('x\n'.repeat(100_000)))
  const pieces = split.mock.calls.map(({ result }) => result?.length ?? 0)
  split.mock.restore()
  assert.equal(counted.push - before.push, 1)
  assert.ok(counted.redact - before.redact <= 2, `${counted.redact}`)
  assert.deepEqual(pieces, [1024])
  assert.ok(ring.lines().length <= 1024)
})

test('the log says that lines of a flood were dropped, and says it last', () => {
  const { ring, texts } = open()
  const stream = ring.follow('stderr')
  stream.push(Buffer.from('all of these\nare kept\n'))
  assert.deepEqual(texts(), ['all of these', 'are kept'])
  stream.push(Buffer.from(`${'x\n'.repeat(5000)}the end\n`))
  assert.deepEqual(
    ring
      .lines()
      .slice(-2)
      .map(({ from, text }) => [from, text]),
    [
      ['stderr', 'the end'],
      ['cordon', 'More lines came at once than this log holds: the oldest of them were dropped'],
    ],
  )
  stream.push(Buffer.from(`\n${'y'.repeat(99)}\n`.repeat(1000)))
  assert.match(texts().at(-1) ?? '', /dropped$/, 'also where the lines are few and long')
  stream.push(Buffer.from('\n\nquiet\n'))
  assert.equal(texts().at(-1), 'quiet')
})
