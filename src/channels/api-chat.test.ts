import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { Api } from '../kernel/api.ts'
import type { FlowView } from '../kernel/setup-port.ts'
import { never } from '../kernel/test-never.ts'
import { createApiChat } from './api-chat.ts'

const base: FlowView = {
  flow: 'f1',
  service: 'github',
  title: 'GitHub',
  phase: 'awaiting-credential',
  expiresAt: '',
  said: ['Open the page and enter the code'],
  version: 1,
}

/** A kernel with one flow, whose views come one after the other. */
function openChat(first: FlowView | null, ...later: readonly FlowView[]) {
  const rest = [...later]
  let now = first
  const answers: Readonly<Record<string, () => unknown>> = {
    'chat.send': () => ({ reply: now?.said.join('\n') ?? 'hm', wasSecret: false, flow: now }),
    'connect.view': () => ({ flow: now }),
    'connect.follow': () => (now = rest.shift() ?? now),
  }
  const call = async (route: string) => answers[route]?.()
  return createApiChat({ call } as unknown as Api, new PassThrough(), new PassThrough())
}

async function all(texts: AsyncIterable<string>): Promise<readonly string[]> {
  const list: string[] = []
  for await (const text of texts) list.push(text)
  return list
}

test('what a flow says after its answer is news, each thing once', async () => {
  const said = [...base.said, 'Signed in', 'GitHub connected']
  const chat = openChat(
    base,
    { ...base, version: 2, said: said.slice(0, 2), phase: 'installing' },
    { ...base, version: 3, said, phase: 'connected' },
  )
  assert.deepEqual(await all((await chat.answer('connect github', never)).texts), base.said)
  assert.deepEqual(await all(chat.news(never)), ['Signed in', 'GitHub connected'])
  assert.deepEqual(await all(chat.news(never)), [])
})

test('a question that stands when the chat begins is news; what ended before is not', async () => {
  const ended = { ...base, version: 2, phase: 'cancelled' } as const
  assert.deepEqual(await all(openChat(base, ended).news(never)), base.said)
  assert.deepEqual(await all(openChat(ended).news(never)), [])
  assert.deepEqual(await all(openChat(null).news(never)), [])
})
