import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import { createAnswers } from './ask.ts'
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
