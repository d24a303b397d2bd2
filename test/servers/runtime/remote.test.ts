/** Remote servers: the SDK's own server, reached through a fetch that opens no socket, in both eras. */
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import type { GuardedFetchOptions } from '../../../src/ports/egress-port.ts'
import type { ServerDefinition } from '../../../src/kernel/server-definition.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { FOR_EVER_MS } from '../../fixtures/until.ts'
import { define, never, openHouse } from './direct-sandbox.ts'

const id = parseServerId('it')

function remote(more: Partial<ServerDefinition> = {}): ServerDefinition {
  const { command: _none, ...rest } = define('it', 'none', {
    transport: 'stream-http',
    url: 'https://mcp.example.test/mcp',
    args: [],
  })
  return { ...rest, ...more }
}

/** A stand-in for the internet: records every request, and the options of every guarded fetch. */
function outside(answer: (request: Request) => Promise<Response>) {
  const requests: Request[] = []
  const opened: GuardedFetchOptions[] = []
  return {
    requests,
    opened,
    egress: {
      guard: () => ({ blocked: 0, reached: [], [Symbol.asyncDispose]: async () => undefined }),
      tunnel: () => ({ blocked: 0, reached: [], [Symbol.asyncDispose]: async () => undefined }),
      createSeal: () => assert.fail('nothing is sealed'),
      connectLocal: () => Promise.reject(new Error('There is no local server')),
      createLocalFetch: () => globalThis.fetch,
      createFetch(options: GuardedFetchOptions): typeof fetch {
        opened.push(options)
        return async (target, init) => {
          const request = new Request(target, init)
          requests.push(request.clone())
          return await answer(request)
        }
      },
    },
  }
}

function server(): McpServer {
  const mcp = new McpServer({ name: 'remote', version: '1.0.0' })
  const inputSchema = z.object({ text: z.string() })
  mcp.registerTool('echo', { description: 'Returns the text', inputSchema }, ({ text }) => ({
    content: [{ type: 'text', text }],
  }))
  return mcp
}

test('a remote server is reached with its headers, its hosts and its certificate', async () => {
  const handler = createMcpHandler(server)
  const net = outside((request) => handler.fetch(request))
  const definition = remote({
    allowedDomains: ['*.example.test'],
    env: { 'header:X-Plain': 'plain' },
    auth: {
      bearer: { scheme: 'vault', name: 'token' },
      'header:X-Key': { scheme: 'vault', name: 'key' },
    },
  })
  const secrets = { token: 'token-value-123', key: 'key-value-456' }
  await using house = await openHouse([definition], { secrets, egress: net.egress })
  await writeFile(path.join(house.folder, 'it.pem'), 'PEM')
  const result = await house.call('it', 'echo', { text: 'token-value-123' })
  assert.deepEqual(result.kind === 'ok' && result.value, [{ type: 'text', text: '[redacted]' }])
  assert.deepEqual(net.opened, [
    { allowedDomains: ['mcp.example.test', '*.example.test'], pinnedCertificate: 'PEM' },
  ])
  for (const { headers, url } of net.requests) {
    assert.equal(headers.get('authorization'), 'Bearer token-value-123')
    assert.equal(headers.get('x-key'), 'key-value-456')
    assert.equal(headers.get('x-plain'), 'plain')
    assert.ok(!url.includes('value'))
  }
  assert.equal((await house.servers.states())[0]?.era, 'modern')
  assert.equal(house.launches.length, 0)
})

test('a remote server that wakes up slowly is waited for as long as any start, and called modern if it is', async () => {
  const handler = createMcpHandler(server)
  const net = outside(async (request) => {
    await delay(400)
    return await handler.fetch(request)
  })
  const timings = { probeMs: 50, startMs: 20_000 }
  await using house = await openHouse([remote()], { egress: net.egress, timings })
  await house.servers.start(id, never)
  assert.equal((await house.servers.states())[0]?.era, 'modern')
})

test('a remote server that is not there, or says no, gives a sentence', async () => {
  for (const [answer, sentence] of [
    [async () => new Response('no', { status: 500 }), /HTTP status 500/],
    [
      async ({ method }: Request) => new Response('no', { status: method === 'GET' ? 500 : 404 }),
      /HTTP status 404/,
    ],
    [
      async () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      /a web page instead of MCP/,
    ],
    [() => Promise.reject(new TypeError('no route')), /spoken with/],
  ] as const) {
    await using house = await openHouse([remote()], { egress: outside(answer).egress })
    await assert.rejects(house.servers.start(id, never), {
      code: 'servers.start',
      message: sentence,
    })
  }
  for (const status of [401, 403]) {
    const { egress } = outside(async () => new Response('no', { status }))
    await using house = await openHouse([remote()], { egress })
    await assert.rejects(house.servers.start(id, never), {
      code: 'servers.unauthorized',
      message: 'Cannot use server "it": it does not accept the credentials; it says: "no"',
    })
    assert.equal((await house.servers.states())[0]?.restarts, 0, 'another try would not help')
  }
})

test('a secret that cannot be a header is not repeated in the refusal', async () => {
  const auth = { bearer: { scheme: 'vault', name: 'token' } as const }
  const secrets = { token: 'first-line-of-it\nsecond-line-of-it' }
  const net = outside(async () => new Response())
  await using house = await openHouse([remote({ auth })], { secrets, egress: net.egress })
  const result = await house.call('it', 'echo', { text: 'hi' })
  assert.match(result.kind === 'failed' ? result.reason : '', /Cannot send the secret for "bearer"/)
  assert.ok(!JSON.stringify([result, await house.servers.states()]).includes('line-of-it'))
  assert.equal(net.requests.length, 0)
})

test('an answer without an end is cut off, and fails its call', async () => {
  const handler = createMcpHandler(server)
  const endless = (type: string) => {
    const chunk = Buffer.from(`data: ${'x'.repeat(2 ** 20)}\n`)
    const pull = (controller: ReadableStreamDefaultController): void => controller.enqueue(chunk)
    const headers = { 'content-type': type }
    return new Response(new ReadableStream({ pull }), { headers })
  }
  const types = ['application/json', 'text/event-stream']
  const net = outside(async (request) => {
    const { method } = (await request.clone().json()) as { method: string }
    return method === 'tools/call' ? endless(types.pop() ?? '') : await handler.fetch(request)
  })
  const timings = { callMs: FOR_EVER_MS }
  await using house = await openHouse([remote()], { egress: net.egress, timings })
  await using _left = { [Symbol.asyncDispose]: async () => assert.deepEqual(types, []) }
  for (const _type of [1, 2]) {
    const result = await house.call('it', 'echo', { text: 'hi' })
    assert.equal(result.kind, 'failed')
  }
})
