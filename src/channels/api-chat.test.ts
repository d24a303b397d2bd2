import assert from 'node:assert/strict'
import { PassThrough } from 'node:stream'
import { test } from 'node:test'
import type { Api } from '../api/contract.ts'
import type { ShownText } from '../api/show-turn.ts'
import type { ConnectionView } from '../ports/setup-port.ts'
import { createApiChat } from './api-chat.ts'

const PLACE = { input: new PassThrough(), output: new PassThrough(), isDumb: false }
const never = new AbortController().signal
const base: ConnectionView = {
  connection: 'f1',
  service: 'github',
  title: 'GitHub',
  phase: 'awaiting-credential',
  expiresAt: '',
  said: ['Open the page and enter the code'],
  version: 1,
}

const PROPOSAL = {
  server: 'github',
  set: '1f0c55a2'.repeat(8),
  summary: 'Nobody vouches for 1 tool: 1 says it only reads',
  tools: [{ name: 'list', says: 'read', because: '', by: 'unsaid', isWaiting: false }],
}
const OFFER = [
  'Nobody vouches for 1 tool: 1 says it only reads.',
  '  1 say they only read: list',
  'To take them so, type: yes, take github 1f0c55a2',
].join('\n')

/** A kernel with one connection, whose views follow each other. */
function openChat(first: ConnectionView | null, ...later: readonly ConnectionView[]) {
  const rest = [...later]
  let now = first
  const answers: Readonly<Record<string, () => unknown>> = {
    'chat.send': () => ({ reply: now?.said.join('\n') ?? 'hm', wasSecret: false, connection: now }),
    'connect.view': () => ({ connection: now }),
    'connect.follow': () => (now = rest.shift() ?? now),
    'tools.proposal': () => PROPOSAL,
  }
  const call = async (route: string) => answers[route]?.()
  return createApiChat({ call } as unknown as Api, PLACE)
}

async function all(texts: AsyncIterable<ShownText>): Promise<readonly ShownText[]> {
  const list: ShownText[] = []
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
  assert.deepEqual(await all(chat.news(never)), ['Signed in', 'GitHub connected', OFFER])
  assert.deepEqual(await all(chat.news(never)), [])
})

test('a question that stands when the chat begins is news; what ended before is not', async () => {
  const ended = { ...base, version: 2, phase: 'cancelled' } as const
  assert.deepEqual(await all(openChat(base, ended).news(never)), base.said)
  assert.deepEqual(await all(openChat(ended).news(never)), [])
  assert.deepEqual(await all(openChat(null).news(never)), [])
})

test('news that nobody waits for any more end, though the kernel goes on answering', async () => {
  let asked = 0
  const call = async (route: string, _input: unknown, signal?: AbortSignal) => {
    if (route === 'connect.view') return { connection: base }
    if (route === 'connect.follow') asked += 1
    await new Promise<void>((resolve) => {
      if (signal?.aborted) resolve()
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
    return base // as a kernel in the same process: at once, with the unchanged view
  }
  const chat = createApiChat({ call }, PLACE)
  const waiting = new AbortController()
  const news = chat.news(waiting.signal)[Symbol.asyncIterator]()
  assert.equal((await news.next()).value, base.said[0])
  const rest = news.next()
  waiting.abort()
  // Noticed before the next request or by it, depending on where the abort finds the loop.
  await rest.catch((error: unknown) => assert.equal((error as Error).name, 'AbortError'))
  assert.ok(asked <= 1, `${asked}`)
})

test('what was not shown before its listener left is told the next time', async () => {
  const said = ['first', 'second']
  const chat = openChat({ ...base, said }, { ...base, said, version: 2, phase: 'cancelled' })
  for await (const text of chat.news(never)) if (text === 'second') break
  assert.deepEqual(await all(chat.news(never)), ['second'])
})

test('the sign-in page is opened once, for a person at a terminal', async () => {
  const signIn = { title: 'token', isSecret: true, authorize: 'https://example.com/authorize' }
  const view = {
    connection: 'c',
    phase: 'awaiting-credential',
    question: signIn,
    said: ['Open it'],
    version: 1,
  }
  const call = async (route: string) =>
    route === 'connect.view' ? { connection: view } : { ...view, version: 2, phase: 'cancelled' }
  for (const isTTY of [true, false]) {
    const opened: string[] = []
    const input = Object.assign(new PassThrough(), { isTTY })
    const chat = createApiChat(
      { call } as unknown as Api,
      { ...PLACE, input },
      async (page) => opened.push(page) > 0,
    )
    const texts: string[] = []
    for await (const text of chat.news(new AbortController().signal)) texts.push(text)
    assert.deepEqual(opened, isTTY ? [signIn.authorize] : [])
    assert.equal(texts.includes('Opened in your browser.'), isTTY)
  }
})
