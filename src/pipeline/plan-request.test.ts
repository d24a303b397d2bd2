import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Message } from '../kernel/receive.ts'
import { planRequest } from './plan-request.ts'
import { NO_PROGRESS } from './progress.ts'
import type { TurnDeps } from './turn-deps.ts'

test('planRequest() reads the turns of the same conversation, once, and only when asked', async () => {
  const read: (string | undefined)[] = []
  const memory = {
    results: async () => [],
    turns: async (_limit: number, conversation?: string) => {
      read.push(conversation)
      return []
    },
  }
  const deps = { memory, now: () => 0, timezone: 'UTC' } as unknown as TurnDeps
  const message = { channel: 'telegram', chat: '7', text: 'hello' } as unknown as Message
  const asked = { words: 'hello', pastes: [], message }
  const { earlier } = await planRequest(deps, asked, NO_PROGRESS)
  assert.deepEqual(read, [])
  await earlier()
  await earlier()
  assert.deepEqual(read, ['telegram/7'])
})
