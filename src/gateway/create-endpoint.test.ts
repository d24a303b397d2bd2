/** The endpoint behind a real listener: what one client may hold open, and what a refused message is answered. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, get, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { OWNER } from '../kernel/principal.ts'
import type { JsonObject } from '../text/json.ts'
import { createEndpoint } from './create-endpoint.ts'
import { Drain } from './drain.ts'
import { HttpSessions } from './http-sessions.ts'

const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
const RECEIPT = { seq: 0, hash: '' }
const NAMES: ReadonlySet<string> = new Set(['one', 'two'])

interface Listening extends AsyncDisposable {
  /** The calls of the method `wait`, which are not answered. */
  readonly waiting: { count: number }
  remove(client: string): void
  post(client: string, path: string, body: unknown): Promise<Response>
  stream(client: string): Promise<IncomingMessage>
}

async function listen(): Promise<Listening> {
  const server = createServer()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const leashes = new Map([...NAMES].map((name) => [name, new AbortController()]))
  const waiting = { count: 0 }
  const endpoint = createEndpoint({
    async handle({ method }) {
      if (method !== 'wait') return {}
      waiting.count += 1
      return await new Promise<JsonObject>(() => undefined)
    },
    drain: new Drain(),
    log: silent,
    owner: OWNER.id,
    audit: { append: () => RECEIPT },
    clients: {
      admit: async (name) => (NAMES.has(name) ? { name, taint: 'ask', createdAt: '' } : undefined),
      revoked: ({ name }) => leashes.get(name)?.signal ?? AbortSignal.abort(),
    },
    sessions: new HttpSessions({ now: Date.now, log: silent }),
    port,
    now: Date.now,
  })
  server.on('request', endpoint)
  const authorized = (client: string) => ({ Authorization: `Bearer ${client}` })
  return {
    waiting,
    remove: (client) => leashes.get(client)?.abort(),
    post: (client, path, body) =>
      fetch(`http://127.0.0.1:${port}${path}`, {
        method: 'POST',
        headers: authorized(client),
        body: JSON.stringify(body),
      }),
    async stream(client) {
      const headers = { ...authorized(client), Accept: 'text/event-stream' }
      const [response] = (await once(
        get({ port, host: '127.0.0.1', path: '/sse', headers, agent: false }),
        'response',
      )) as [IncomingMessage]
      response.on('error', () => undefined)
      return response.resume()
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const message = (method: string, id?: number): JsonObject => ({
  jsonrpc: '2.0',
  method,
  ...(id !== undefined && { id }),
})

/** The path that a stream of the older transport names first. */
async function pathOf(stream: IncomingMessage): Promise<string> {
  const [chunk] = (await once(stream, 'data')) as [Buffer]
  return /data: (\S+)/.exec(chunk.toString())?.[1] ?? ''
}

test('GATE-8: streams count like requests: one client leaves half of the connections to others, and can still end what it has', async () => {
  await using at = await listen()
  const streams = await Promise.all(Array.from({ length: 256 }, () => at.stream('one')))
  assert.ok(streams.every(({ statusCode }) => statusCode === 200))
  assert.equal((await at.stream('one')).statusCode, 429)
  const refused = await at.post('one', '/mcp', message('ping', 1))
  assert.deepEqual([refused.status, refused.headers.get('retry-after')], [429, '1'])
  assert.equal((await at.post('one', '/mcp', message('notifications/cancelled'))).status, 202)
  assert.equal((await at.stream('two')).statusCode, 200)
  assert.equal((await at.post('two', '/mcp', message('ping', 1))).status, 200)
  streams[0]?.destroy()
  const again = async (): Promise<number> =>
    (await at.post('one', '/mcp', message('ping', 1))).status
  while ((await again()) === 429) await sleep(5)
  const ended = Promise.all(
    streams.slice(1).map((one) => new Promise<void>((resolve) => one.once('close', resolve))),
  )
  at.remove('one')
  await ended
})

test('GATE-8: calls of the older transport count until they are answered, over all sessions of a client', async () => {
  await using at = await listen()
  const paths = await Promise.all([1, 2].map(async () => await pathOf(await at.stream('one'))))
  for (let id = 0; id < 254; id += 1) {
    const sent = await at.post('one', paths[id % 2] ?? '', message('wait', id))
    assert.equal(sent.status, 202)
  }
  assert.equal(at.waiting.count, 254)
  assert.equal((await at.post('one', paths[0] ?? '', message('wait', 1000))).status, 429)
  assert.equal(at.waiting.count, 254)
})

test('a message that is refused as a whole is answered under its own id', async () => {
  await using at = await listen()
  const path = await pathOf(await at.stream('one'))
  let deep: unknown = 1
  for (let level = 0; level < 200; level += 1) deep = [deep]
  for (const [one, id] of [
    [{ ...message('tools/call', 7), params: [] }, 7],
    [{ ...message('tools/call'), id: 'a', params: { deep } }, 'a'],
    [{ ...message('tools/call', 7), jsonrpc: '1.0' }, 7],
    [{ jsonrpc: '2.0', id: 'cordon-1', result: {}, error: {} }, null],
    [[message('ping', 7)], null],
  ] as const) {
    for (const to of ['/mcp', path]) {
      const answer = await at.post('one', to, one)
      assert.equal(answer.status, 400)
      assert.equal(((await answer.json()) as { id: unknown }).id, id)
    }
  }
})
