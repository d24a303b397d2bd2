/** A remote server of the 2026 revision over real TLS: changes by subscription, and subscriptions that break. */
import assert from 'node:assert/strict'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { text } from 'node:stream/consumers'
import { test } from 'node:test'
import { callFailed } from '../../../src/kernel/call-failure.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { until } from '../../fixtures/until.ts'
import { never } from './direct-sandbox.ts'
import { openRemote, remote } from './http-server.ts'

const id = parseServerId('it')
const VERSION = '2026-07-28'
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId'
const cache = { ttlMs: 0, cacheScope: 'public' }
const tool = (name: string) => ({ name, description: name, inputSchema: { type: 'object' } })

interface Message {
  readonly id: number | string
  readonly method: string
  readonly params?: { readonly name?: string }
}

/** A server by hand: no sessions, and at most one subscriber. */
function createModernServer() {
  const tools = [tool('echo'), tool('hangs')]
  const hung: ServerResponse[] = []
  const state: { subscriber?: { readonly stream: ServerResponse; readonly id: unknown } } = {}
  const notify = (method: string, params: object = {}): void => {
    const { stream, id: subscription } = state.subscriber ?? {}
    const tagged = { ...params, _meta: { [SUBSCRIPTION]: subscription } }
    stream?.write(`data: ${JSON.stringify({ jsonrpc: '2.0', method, params: tagged })}\n\n`)
  }
  const results: Readonly<Record<string, () => object>> = {
    'server/discover': () => ({
      supportedVersions: [VERSION],
      capabilities: { tools: { listChanged: true } },
      ...cache,
    }),
    'tools/list': () => ({ tools, ...cache }),
    'tools/call': () => ({ content: [{ type: 'text', text: 'done' }] }),
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { id: asked, method, params } = JSON.parse(await text(request)) as Message
    if (method === 'subscriptions/listen') {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      state.subscriber = { stream: response, id: asked }
      const notifications = { toolsListChanged: true }
      return notify('notifications/subscriptions/acknowledged', { notifications })
    }
    if (params?.name === 'hangs') return void hung.push(response)
    const result = { resultType: 'complete', ...results[method]?.() }
    response.writeHead(200, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ jsonrpc: '2.0', id: asked, result }))
  }
  const listener: RequestListener = (request, response) => void answer(request, response)
  return { listener, tools, hung, state, notify }
}

test('a remote server tells of a new tool by subscription', async () => {
  const server = createModernServer()
  await using house = await openRemote(remote(), server.listener)
  await house.servers.start(id, never)
  assert.equal((await house.servers.states())[0]?.era, 'modern')
  await until(() => server.state.subscriber !== undefined)
  server.tools.push(tool('new'))
  server.notify('notifications/tools/list_changed')
  await until(async () => (await house.servers.states())[0]?.quarantined === 1)
  assert.equal((await house.call('it', 'new')).kind, 'refused')
})

test('a subscription that breaks is made anew, and what was missed is found', async () => {
  const server = createModernServer()
  await using house = await openRemote(remote(), server.listener)
  await house.servers.start(id, never)
  await until(() => server.state.subscriber !== undefined)
  const first = server.state.subscriber
  server.tools.push(tool('new'))
  first?.stream.destroy()
  await until(() => server.state.subscriber !== first)
  await until(async () => (await house.servers.states())[0]?.quarantined === 1)
  assert.equal((await house.call('it', 'echo')).kind, 'ok', 'the session itself goes on')
})

test('a call whose time is up closes its own request, and nothing else', async () => {
  const server = createModernServer()
  const timings = { callMs: 4000 }
  await using house = await openRemote(remote(), server.listener, { timings })
  const late = await house.call('it', 'hangs')
  assert.deepEqual(late, callFailed('call.timeout', 'Tool call timed out after 4s'))
  await until(() => server.hung[0]?.destroyed === true)
  assert.equal((await house.call('it', 'echo')).kind, 'ok')
})
