/** Servers on this machine that Cordon does not start, over real Unix sockets: one message per line, or HTTP. */
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer as createHttpServer } from 'node:http'
import { createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { createEgress } from '../../../src/egress/create-egress.ts'
import type { ServerDefinition } from '../../../src/kernel/server-definition.ts'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { until } from '../../fixtures/until.ts'
import {
  define,
  type HouseOptions,
  never,
  openHouse,
  owner,
  type TestHouse,
} from './direct-sandbox.ts'

const id = parseServerId('it')
const fixtures = fileURLToPath(new URL('../../fixtures/servers/', import.meta.url))

interface Listener extends AsyncDisposable {
  readonly socketPath: string
  /** One process for each connection, in order. */
  readonly children: ChildProcess[]
  stop(): Promise<void>
}

/** Listens on a new socket and starts a process for every connection, as socket activation does. */
async function listenFor(fixture: string, at?: string): Promise<Listener> {
  const [file = '', ...args] = fixture.split(' ')
  const children: ChildProcess[] = []
  const server = createServer((socket) => {
    const child = spawn(process.execPath, [path.join(fixtures, `${file}.mjs`), ...args])
    children.push(child)
    socket.on('error', () => undefined).pipe(child.stdin.on('error', () => undefined))
    child.stdout.pipe(socket)
    socket.once('close', () => child.kill('SIGKILL'))
  })
  return { children, ...(await listenOn(server, at)) }
}

async function listenOn(server: Server, at?: string): Promise<Omit<Listener, 'children'>> {
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-socket-'))
  const socketPath = at ?? path.join(folder, 'it.sock')
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => void sockets.add(socket)).listen(socketPath)
  await once(server, 'listening')
  const stop = async (): Promise<void> => {
    server.close()
    for (const socket of sockets) socket.destroy()
    await once(server, 'close')
  }
  return {
    socketPath,
    stop,
    async [Symbol.asyncDispose]() {
      if (server.listening) await stop()
      await rm(folder, { recursive: true })
    },
  }
}

function local(socketPath: string, more: Partial<ServerDefinition> = {}): ServerDefinition {
  const { command: _none, ...rest } = define('it', 'none', { transport: 'uds', args: [] })
  return { ...rest, socketPath, ...more }
}

async function open(definition: ServerDefinition, options: HouseOptions = {}): Promise<TestHouse> {
  const log = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const egress = createEgress({ owner, audit: { append: () => ({}) as never }, log })
  return await openHouse([definition], { egress, ...options })
}

for (const [fixture, era] of [
  ['echo', 'legacy'],
  ['modern', 'modern'],
] as const) {
  test(`a ${era} server on a Unix socket lists and answers, one message per line`, async () => {
    await using server = await listenFor(fixture)
    await using house = await open(local(server.socketPath))
    const result = await house.call('it', 'echo', { text: 'hi' })
    assert.deepEqual(result.kind === 'ok' && result.value, [{ type: 'text', text: 'hi' }])
    const [state] = await house.servers.states()
    assert.deepEqual([state?.badge, state?.era, state?.pid], ['connected', era, undefined])
    assert.deepEqual(house.launches, [], 'nothing is started for it')
    assert.deepEqual(house.events[0], {
      kind: 'servers.start',
      principal: owner,
      subject: 'it',
      details: { transport: 'uds' },
    })
    await house.servers.stop(id)
    await until(() => server.children.every((child) => child.killed))
  })
}

test('a local server that closes in a call fails it with the reason, and is connected to again', async () => {
  await using server = await listenFor('crasher mid-call')
  await using house = await open(local(server.socketPath))
  assert.deepEqual(await house.call('it', 'work'), {
    kind: 'failed',
    code: 'call.lost',
    reason: 'The server ended while it worked on the call: it closed the connection',
  })
  await until(() => server.children.length === 2)
  await until(async () => (await house.servers.states())[0]?.badge === 'connected')
  assert.equal((await house.servers.states())[0]?.restarts, 1)
})

test('a local server that is gone is said to be, and found again when it is back', async () => {
  await using server = await listenFor('echo')
  await using house = await open(local(server.socketPath))
  assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
  await server.stop()
  await until(async () => (await house.servers.states())[0]?.badge === 'error')
  await until(async () => /no such socket/.test((await house.servers.states())[0]?.reason ?? ''))
  const gone = await house.call('it', 'echo', { text: 'hi' })
  assert.ok(gone.kind === 'failed')
  assert.match(gone.reason, /no such socket$/)
  assert.match(gone.hint ?? '', /^Start the server/)
  await using _back = await listenFor('echo', server.socketPath)
  assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
})

test('a local server is held to the same bounds as a process', async () => {
  await using server = await listenFor('flooder line')
  await using house = await open(local(server.socketPath))
  const flood = await house.call('it', 'flood')
  assert.match(flood.kind === 'failed' ? flood.reason : '', /larger than 16 MiB/)
  assert.equal((await house.call('it', 'echo')).kind, 'ok')
  await using noisy = await listenFor('nonsense')
  await using other = await open(local(noisy.socketPath), { timings: { startMs: 300_000 } })
  await assert.rejects(other.servers.start(id, never), /writes text that is not MCP/)
})

test('a local server that never answers is given up in time, and its connection closed', async () => {
  await using server = await listenFor('crasher never-answers')
  const timings = { startMs: 400, restartDelaysMs: [20_000] }
  await using house = await open(local(server.socketPath), { timings })
  await assert.rejects(house.servers.start(id, never), /did not answer within/)
  await until(() => server.children.every((child) => child.killed))
})

test('a local server with an HTTP path is spoken to in HTTP, over its socket', async () => {
  const mcp = createMcpHandler(() => {
    const one = new McpServer({ name: 'local', version: '1.0.0' })
    const inputSchema = z.object({ text: z.string() })
    one.registerTool('echo', { description: 'Returns the text', inputSchema }, ({ text }) => ({
      content: [{ type: 'text', text }],
    }))
    return one
  })
  const asked = new Set<string>()
  const http = createHttpServer((request, response) => {
    void (async () => {
      asked.add(`${request.url} ${request.headers.authorization}`)
      const { method = 'GET', headers } = request
      const body = method === 'POST' ? { body: await buffer(request) } : {}
      const init = { method, headers: headers as Record<string, string>, ...body }
      const answer = await mcp.fetch(new Request(`http://localhost${request.url}`, init))
      response.writeHead(answer.status, Object.fromEntries(answer.headers))
      for await (const chunk of answer.body ?? []) response.write(chunk)
      response.end()
    })()
  })
  await using server = await listenOn(http)
  const auth = { bearer: { scheme: 'vault', name: 'token' } as const }
  const definition = local(server.socketPath, { httpPath: '/v1/mcp', auth })
  await using house = await open(definition, { secrets: { token: 'token-of-the-socket' } })
  const result = await house.call('it', 'echo', { text: 'hi' })
  assert.deepEqual(result.kind === 'ok' && result.value, [{ type: 'text', text: 'hi' }])
  assert.equal((await house.servers.states())[0]?.era, 'modern')
  assert.deepEqual([...asked], ['/v1/mcp Bearer token-of-the-socket'])
})

test('a socket server with an environment or a pipe is refused with a reason', async () => {
  const auth = { TOKEN: { scheme: 'vault', name: 'token' } as const }
  for (const [more, code, message] of [
    [{ auth }, 'servers.transport', /an environment of its own/],
    [{ transport: 'pipe', socketPath: '\\\\.\\pipe\\mcp-it' }, 'egress.no-pipe', /Windows only/],
    [{ socketPath: '/nowhere/it.sock' }, 'egress.local-unavailable', /no such socket/],
  ] as const) {
    await using house = await open(local('/nowhere/it.sock', more), { secrets: { token: 'x' } })
    await assert.rejects(house.servers.start(id, never), { code, message })
  }
})
