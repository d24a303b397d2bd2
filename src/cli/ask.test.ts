import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { askKey, createAnswers } from './ask.ts'
import type { Terminal } from './context.ts'

test('a question that is settled elsewhere takes nothing from the next one', async () => {
  const stdin = new PassThrough()
  const never = new AbortController().signal
  using answers = createAnswers({ stdin } as unknown as Terminal, never)
  const elsewhere = new AbortController()
  const first = answers.next('Token', true, elsewhere.signal)
  elsewhere.abort()
  stdin.end('for the second\n')
  await assert.rejects(first, { name: 'AbortError' })
  assert.equal(await answers.next('Name', false, never), 'for the second')
})

test('a terminal that draws nothing is asked in lines, and everything but the key or its word is the first choice', async () => {
  const never = new AbortController().signal
  for (const [typed, taken] of [
    ['y', 'y'],
    [' YES ', 'y'],
    ['yellow', 'n'],
    ['', 'n'],
    [undefined, 'n'],
  ] as const) {
    const stderr = new PassThrough()
    const terminal = { stderr, isDumb: true, typeLine: async () => typed } as unknown as Terminal
    const choices = [
      ['n', 'no'],
      ['y', 'yes'],
    ] as const
    assert.equal(await askKey(terminal, 'Go on?', choices, never), taken)
    assert.equal(String(stderr.read()), '  n  no\n  y  yes\n')
  }
})
