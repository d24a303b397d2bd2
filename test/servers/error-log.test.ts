/** Standard error in the log, with the real redactor: no secret is shown, wherever the stream is cut. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLogRing } from '../../src/servers/session/log-ring.ts'
import { createRedactor } from '../../src/vault/redactor.ts'

const redactor = createRedactor()
redactor.learn(Buffer.from('value-one-two'))

function shown(...chunks: readonly string[]): readonly string[] {
  const ring = createLogRing(redactor, () => 0)
  const stream = ring.follow('stderr')
  for (const chunk of chunks) stream.push(Buffer.from(chunk))
  stream.end()
  return ring.lines().map(({ text }) => text)
}

test('a secret that is split between chunks is hidden, wherever it is cut', () => {
  const text = 'before value-one-two after\nnext'
  for (let at = 0; at <= text.length; at += 1) {
    const lines = shown(text.slice(0, at), text.slice(at))
    assert.deepEqual(lines, ['before [redacted] after', 'next'], `cut at ${at}`)
  }
})

test('a secret that is broken over lines is hidden, wherever it is broken', () => {
  for (let at = 1; at < 'value-one-two'.length; at += 1) {
    const broken = `${'value-one-two'.slice(0, at)}\n  ${'value-one-two'.slice(at)}`
    assert.deepEqual(shown(`it is ${broken} now\n`), ['it is [redacted] now'], `broken at ${at}`)
  }
  assert.deepEqual(
    shown('value-one-\n', 'two\n'),
    ['[redacted]', 'two'],
    'its beginning, also in two chunks',
  )
})

test('a secret in the middle of a flood is hidden, also where only its end is kept', () => {
  const flood = 'x\n'.repeat(40_000)
  const lines = shown(`${flood}val`, `ue-one-two\n${'y\n'.repeat(1023)}`)
  assert.ok(!lines.some((line) => line.includes('one')))
  assert.ok(shown(`${flood}value-one-two\n`).includes('[redacted]'))
})
