import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from './principal.ts'
import { receive, type MessageHandler } from './receive.ts'

const signal = new AbortController().signal
const message = { principal: OWNER, text: 'ghp_0123456789' }

test('receive() asks setup first, and nothing after it sees a text that setup takes', async () => {
  const seen: string[] = []
  const setup: MessageHandler = async () => ({ kind: 'text', text: 'stored' })
  const chat: MessageHandler = async ({ text }) => {
    seen.push(text)
    return { kind: 'text', text: 'planned' }
  }
  assert.deepEqual(await receive({ setup, chat }, message, signal), {
    kind: 'text',
    text: 'stored',
  })
  assert.deepEqual(seen, [])
})

test('receive() says so when nobody can answer', async () => {
  const passes: MessageHandler = async () => undefined
  const takers = { setup: passes, chat: passes }
  assert.deepEqual(await receive(takers, message, signal), { kind: 'unanswered' })
})

test('receive() hands the sentence that a yes stands for to the handlers after setup', async () => {
  const chat: MessageHandler = async ({ text }) => ({ kind: 'text', text: `heard ${text}` })
  const takers = { setup: async () => ({ kind: 'meant', text: 'search notion' }) as const, chat }
  assert.deepEqual(await receive(takers, { principal: OWNER, text: 'yes' }, signal), {
    kind: 'text',
    text: 'heard search notion',
  })
})
