import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from './principal.ts'
import { receive, type Taker } from './receive.ts'
import { never as signal } from './test-never.ts'

const message = { principal: OWNER, text: 'ghp_0123456789' }

test('receive() stops at the first that takes the message, so nothing after it sees the text', async () => {
  const seen: string[] = []
  const setup: Taker = async () => ({ kind: 'text', text: 'stored' })
  const pipeline: Taker = async ({ text }) => {
    seen.push(text)
    return { kind: 'text', text: 'planned' }
  }
  assert.deepEqual(await receive([setup, pipeline], message, signal), {
    kind: 'text',
    text: 'stored',
  })
  assert.deepEqual(seen, [])
})

test('receive() says so when nobody can answer', async () => {
  const passes: Taker = async () => undefined
  assert.deepEqual(await receive([passes], message, signal), { kind: 'unanswered' })
})
