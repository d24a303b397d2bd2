/**
 * Clients that never read or that flood, and servers that change in the middle: one of them loses what is its own, and a
 * second client is served through all of it.
 */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { test } from 'node:test'
import {
  bearer,
  type GatewayCordon,
  openGatewayCordon,
  post,
  textOf,
  toolCall,
} from '../fixtures/gateway-cordon.ts'
import { INITIALIZE, WAYS } from '../fixtures/gateway-ways.ts'
import { until } from '../fixtures/until.ts'

const COUNTER = { counter: ['counter'] } as const

interface Counts {
  readonly calls: number
  readonly cancelled: number
  readonly sleeping: number
}

async function asTwo(gateway: GatewayCordon, name: string, args: object): Promise<string> {
  const headers = bearer(gateway.tokenOf('two'))
  return textOf((await post(gateway.url, toolCall(name, args), { headers })).body)
}

async function counts(gateway: GatewayCordon, server = 'counter'): Promise<Counts> {
  return JSON.parse(await asTwo(gateway, `${server}__count`, {})) as Counts
}

async function isServed(gateway: GatewayCordon, server = 'counter'): Promise<void> {
  assert.equal(await asTwo(gateway, `${server}__echo`, { text: 'mine' }), 'mine')
}

/** A connection by hand; nothing is read unless somebody listens. */
function dial({ url }: GatewayCordon): Socket {
  const { hostname, port } = new URL(url)
  return connect(Number(port), hostname).on('error', () => undefined)
}

function rawPost(gateway: GatewayCordon, place: string, body: object, headers: object): string {
  const text = JSON.stringify(body)
  const all = {
    Host: new URL(gateway.url).host,
    ...bearer(gateway.tokenOf('one')),
    Accept: 'application/json, text/event-stream',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(text)),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`POST ${place} HTTP/1.1`, ...lines, '', text].join('\r\n')
}

const SPILL = toolCall('spiller__spill', {}, 'spill')
const SET_LEVEL = { jsonrpc: '2.0', id: 2, method: 'logging/setLevel', params: { level: 'error' } }
const MODERN_SPILL = {
  ...SPILL,
  params: {
    name: 'spiller__spill',
    arguments: {},
    _meta: {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientCapabilities': {},
      'io.modelcontextprotocol/logLevel': 'error',
    },
  },
}
const MODERN_HEADERS = {
  'MCP-Protocol-Version': '2026-07-28',
  'Mcp-Method': 'tools/call',
  'Mcp-Name': 'spiller__spill',
}

/** Each begins a call whose stream nobody reads, and returns how to go away. */
const UNREAD: Readonly<Record<string, (gateway: GatewayCordon) => Promise<() => void>>> = {
  async 'HTTP with a session'(gateway) {
    const headers = bearer(gateway.tokenOf('one'))
    const begun = await post(gateway.url, INITIALIZE, { headers })
    const session = { 'Mcp-Session-Id': String(begun.headers['mcp-session-id']) }
    await post(gateway.url, SET_LEVEL, { headers: { ...headers, ...session } })
    const socket = dial(gateway)
    socket.write(rawPost(gateway, '/mcp', SPILL, session))
    return () => socket.destroy()
  },
  async 'HTTP of 2026-07-28'(gateway) {
    const socket = dial(gateway)
    socket.write(rawPost(gateway, '/mcp', MODERN_SPILL, MODERN_HEADERS))
    return () => socket.destroy()
  },
  async 'HTTP+SSE'(gateway) {
    const headers = bearer(gateway.tokenOf('one'))
    const stream = dial(gateway)
    const head = ['GET /sse HTTP/1.1', `Host: ${new URL(gateway.url).host}`]
    const more = [`Authorization: ${headers['Authorization']}`, 'Accept: text/event-stream']
    stream.write([...head, ...more, '', ''].join('\r\n'))
    const { promise, resolve } = Promise.withResolvers<string>()
    let said = ''
    stream.on('data', (chunk: Buffer) => {
      said += chunk.toString()
      const [, place] = /data: (\/messages\S+)/.exec(said) ?? []
      if (place !== undefined) resolve(place)
    })
    const place = await promise
    const address = new URL(place, gateway.url).href
    await post(address, INITIALIZE, { headers })
    await post(address, SET_LEVEL, { headers })
    stream.removeAllListeners('data')
    stream.pause()
    await post(address, SPILL, { headers })
    return () => stream.destroy()
  },
}

test('GATE-8: a client that never reads its stream is cut off by every way over HTTP, and its call is cancelled at the server', async () => {
  const spiller = { spiller: ['counter'] } as const
  for (const [name, start] of Object.entries(UNREAD)) {
    await using gateway = await openGatewayCordon({ ...COUNTER, ...spiller }, ['one', 'two'])
    await isServed(gateway)
    const leave = await start(gateway)
    const cut = async (): Promise<boolean> => {
      await isServed(gateway)
      return (await counts(gateway, 'spiller')).cancelled === 1
    }
    await until(cut).catch((error: unknown) => assert.fail(`${name}: ${String(error)}`))
    leave()
  }
})

test('GATE-8: a client that leaves large answers unread on many connections loses some of them, and others are served', async () => {
  // Several servers: the answers of one are read at a bounded rate after 64 MiB.
  const names = ['a', 'b', 'c', 'd']
  const echoes = Object.fromEntries(names.map((name) => [name, ['echo'] as const]))
  await using gateway = await openGatewayCordon({ ...COUNTER, ...echoes }, ['one', 'two'])
  const sockets = Array.from({ length: 24 }, (_, at) => {
    const socket = dial(gateway)
    const call = toolCall(`${names[at % 4]}__big`, { bytes: 9 * 2 ** 20 })
    socket.write(rawPost(gateway, '/mcp', call, { Accept: 'application/json' }))
    return socket
  })
  const cut = new Set<Socket>()
  for (const socket of sockets) {
    for (const event of ['error', 'close'] as const) socket.on(event, () => cut.add(socket))
  }
  await until(async () => {
    await isServed(gateway)
    // The end of a connection that nobody reads shows only when something is written to it.
    for (const socket of sockets) if (!cut.has(socket)) socket.write('\r\n')
    return cut.size > 0
  })
  assert.ok(cut.size < sockets.length, 'those within the bound are still open')
  for (const socket of sockets) socket.destroy()
  await isServed(gateway)
})

test('GATE-8: a client that floods with calls is told to wait by every way over HTTP, and others are served', async () => {
  await using gateway = await openGatewayCordon(COUNTER, ['one', 'two'])
  await isServed(gateway)
  const headers = bearer(gateway.tokenOf('one'))
  const leaving = new AbortController()
  const { signal } = leaving
  const begun = await post(gateway.url, INITIALIZE, { headers })
  const session = { ...headers, 'Mcp-Session-Id': String(begun.headers['mcp-session-id']) }
  const statuses: number[] = []
  const call = (id: number): object => toolCall('counter__sleep', { ms: 9e5 }, id)
  const flood = Array.from({ length: 400 }, (_, at) =>
    post(gateway.url, call(at), { headers: at % 2 === 0 ? headers : session, signal }).then(
      ({ status }) => statuses.push(status),
      () => undefined,
    ),
  )
  await until(async () => {
    await isServed(gateway)
    return statuses.length >= 144
  })
  assert.deepEqual([...new Set(statuses)], [429])
  const { sleeping } = await counts(gateway)
  assert.equal(sleeping, 256)
  leaving.abort()
  await Promise.all(flood)
  await until(async () => (await counts(gateway)).cancelled === 256)
  const after = await post(gateway.url, toolCall('counter__echo', { text: 'again' }), { headers })
  assert.equal(textOf(after.body), 'again')
})

test('notifications without end, answers to nothing and cancellations of nothing change nothing, by every way', async () => {
  await using gateway = await openGatewayCordon(COUNTER, ['one', 'two'])
  await isServed(gateway)
  const odd = [
    { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 'none' } },
    { jsonrpc: '2.0', method: 'notifications/cancelled' },
    { jsonrpc: '2.0', method: 'notifications/none', params: {} },
    { jsonrpc: '2.0', id: 'cordon-1', result: { action: 'accept' } },
    { jsonrpc: '2.0', id: 7, error: { code: 1, message: 'none' } },
  ]
  const before = (await counts(gateway)).calls
  for (const [name, open] of Object.entries(WAYS)) {
    const way = await open(gateway, 'one')
    const isPlain = name.startsWith('HTTP ')
    const times = name.startsWith('lines') ? 2000 : 20
    for (let round = 0; round < times; round += 1) {
      for (const message of odd) {
        // Plain HTTP answers them with an empty body, the others not at all.
        const said = isPlain ? await way.say(JSON.stringify(message)) : way.start(message as never)
        assert.deepEqual(said ?? {}, {})
      }
    }
    const echo = { name: 'counter__echo', arguments: { text: name } }
    assert.equal(textOf(await way.ask(way.request('tools/call', echo))), name)
    await isServed(gateway)
    way.leave()
  }
  const served = 2 * Object.keys(WAYS).length
  assert.equal((await counts(gateway)).calls, before + served + 1)
})

test('a server that changes its tools in the middle: the call under way is answered, the changed tool is gone, by every way', async () => {
  const names = Object.keys(WAYS).map((_, at) => `shifty${at}`)
  const shifty = Object.fromEntries(names.map((name) => [name, ['counter'] as const]))
  await using gateway = await openGatewayCordon({ ...COUNTER, ...shifty }, ['one', 'two'])
  for (const [at, open] of Object.values(WAYS).entries()) {
    const server = names[at] ?? ''
    await isServed(gateway, server)
    const [way, slow] = [await open(gateway, 'one'), await open(gateway, 'one')]
    const sleep = { name: `${server}__sleep`, arguments: { ms: 1500, text: 'slept' } }
    const sleeping = slow.ask(slow.request('tools/call', sleep))
    await until(async () => (await counts(gateway, server)).sleeping === 1)
    await asTwo(gateway, `${server}__change`, {})
    const listed = async (): Promise<readonly string[]> => {
      const { result } = await way.ask(way.request('tools/list'))
      return (result?.tools ?? []).map(({ name }) => name)
    }
    await until(async () => !(await listed()).includes(`${server}__echo`))
    assert.ok((await listed()).includes(`${server}__sleep`), 'the others stay')
    assert.equal(textOf(await sleeping), 'slept')
    const { calls } = await counts(gateway, server)
    const call = { name: `${server}__echo`, arguments: { text: 'x' } }
    assert.equal((await way.ask(way.request('tools/call', call))).error?.code, -32_602)
    assert.equal((await counts(gateway, server)).calls, calls + 1, 'the question alone')
    await isServed(gateway)
    way.leave()
    slow.leave()
  }
})
