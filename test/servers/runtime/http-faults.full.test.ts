/** Remote servers over real TLS, in both HTTP transports of 2024 and 2025: their answers, and how they fail. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { parseServerId } from '../../../src/kernel/server-id.ts'
import { FOR_EVER_MS, until } from '../../fixtures/until.ts'
import { never, toolCall } from './direct-sandbox.ts'
import { createSseServer, createStreamServer, openRemote, remote } from './http-server.ts'

const id = parseServerId('it')
const sse = (more = {}) => remote({ transport: 'sse', url: 'https://allowed.example/sse', ...more })
const reasonOf = (result: { readonly kind: string; readonly reason?: string }): string =>
  result.kind === 'failed' ? (result.reason ?? '') : result.kind

test('a server of the 2024 transport lists and answers, and its one stream ends with it', async () => {
  const server = createSseServer()
  await using house = await openRemote(sse(), server.listener)
  const result = await house.call('it', 'echo', { text: 'hi' })
  assert.deepEqual(result.kind === 'ok' && result.value, [{ type: 'text', text: 'hi' }])
  const [state] = await house.servers.states()
  assert.deepEqual([state?.badge, state?.era, state?.tools], ['connected', 'legacy', 7])
  assert.ok(!server.seen.includes('server/discover'), 'there is only one era to it')
  assert.equal(server.sessions.size, 1)
  await house.servers.stop(id)
  await until(() => server.sessions.size === 0)
})

test('an address of the 2024 transport is recognised where the newer one was expected', async () => {
  const server = createSseServer()
  const listener: typeof server.listener = (request, response) => {
    if (request.method === 'POST' && request.url === '/mcp') response.writeHead(405).end()
    else server.listener(request, response)
  }
  await using house = await openRemote(remote(), listener)
  assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
  await house.servers.stop(id)
  await house.servers.start(id, never)
  assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
})

for (const [kind, create, define] of [
  ['sse', createSseServer, sse],
  ['stream-http', createStreamServer, remote],
] as const) {
  test(`${kind}: a call is cancelled at the server, by its caller or when its time is up`, async () => {
    const server = create()
    await using house = await openRemote(define(), server.listener, { timings: { callMs: 4000 } })
    assert.equal(reasonOf(await house.call('it', 'silent')), 'Tool call timed out after 4s')
    const caller = new AbortController()
    const given = house.servers.call(toolCall('it', 'silent', {}), caller.signal)
    await until(() => server.seen.filter((method) => method === 'tools/call').length === 2)
    caller.abort()
    assert.equal(reasonOf(await given), 'The call was cancelled')
    const isCancel = (method: string): boolean => method === 'notifications/cancelled'
    await until(() => server.seen.filter(isCancel).length === 2)
    assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
  })

  test(`${kind}: an answer above the limits fails its call at once`, async () => {
    const server = create()
    await using house = await openRemote(define(), server.listener)
    await house.servers.start(id, never)
    for (const tool of ['huge', 'endless']) {
      assert.match(reasonOf(await house.call('it', tool)), /above (?:the limits|16 MiB)/, tool)
      await until(async () => (await house.call('it', 'echo', { text: 'hi' })).kind === 'ok')
    }
  })

  test(`${kind}: SERVER-2: an answer that is nested without end fails its own call`, async () => {
    await using house = await openRemote(define(), create().listener)
    assert.match(reasonOf(await house.call('it', 'deep')), /nested (?:deeper|too)/)
    assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
  })

  test(`${kind}: a server that dies in a call fails it at once, and is used again`, async () => {
    const server = create()
    await using house = await openRemote(define(), server.listener)
    for (const tool of ['dies', 'half']) {
      const result = await house.call('it', tool)
      assert.match(reasonOf(result), /connection|Cannot reach/, tool)
      const code = result.kind === 'failed' ? (result.code ?? '') : ''
      assert.match(code, /^(?:call\.(?:lost|unreadable)|egress\.unreachable)$/, tool)
      await until(async () => (await house.call('it', 'echo', { text: 'hi' })).kind === 'ok')
    }
  })

  test(`${kind}: a server that accepts and never answers is given up in time`, async () => {
    const timings = { startMs: 300, restartDelaysMs: [FOR_EVER_MS] }
    await using house = await openRemote(define(), () => undefined, { timings })
    await assert.rejects(house.servers.start(id, never), /did not answer within 300ms/)
    await house.servers.stop(id)
  })

  test(`${kind}: without the right credential there is one sentence, and no second try`, async () => {
    let asked = 0
    const listener = (
      _: unknown,
      response: { writeHead(status: number): { end(): void } },
    ): void => {
      asked += 1
      response.writeHead(401).end()
    }
    await using house = await openRemote(define(), listener)
    const result = await house.call('it', 'echo')
    assert.ok(result.kind === 'failed')
    assert.equal(result.code, 'servers.unauthorized')
    assert.equal(result.reason, 'Cannot use server "it": it does not accept the credentials')
    assert.match(result.hint ?? '', /^Check the credentials/)
    const before = asked
    await pause(200)
    assert.equal(asked, before, 'nobody goes on asking in the background')
  })

  test(`${kind}: a host that is not there, or not to be trusted, is said to be`, async () => {
    const { listener } = create()
    await using nobody = await openRemote(define(), listener, {}, { resolve: async () => [] })
    await assert.rejects(nobody.servers.start(id, never), { code: 'egress.unreachable' })
    const within = { resolve: async () => ['10.0.0.1'] }
    await using inside = await openRemote(define(), listener, {}, within)
    await assert.rejects(inside.servers.start(id, never), { code: 'egress.private-address' })
    await using unknown = await openRemote(
      define(),
      listener,
      {},
      { dangerouslyTrustAuthority: '' },
    )
    await assert.rejects(unknown.servers.start(id, never), { code: 'egress.untrusted' })
  })

  test(`${kind}: a redirect to another host is not followed, and no header goes there`, async () => {
    const away = { location: 'https://evil.example/mcp' }
    const definition = define({ allowedDomains: ['allowed.example', 'evil.example'] })
    await using house = await openRemote(definition, (_, response) => {
      response.writeHead(307, away).end()
    })
    await assert.rejects(house.servers.start(id, never), /Cannot start server/)
    assert.deepEqual(new Set(house.outside.reached), new Set(['allowed.example']))
  })
}

test('a session that the server has forgotten fails one call, and a new one takes its place', async () => {
  const server = createStreamServer()
  await using house = await openRemote(remote(), server.listener)
  assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
  server.sessions.clear()
  assert.equal(
    reasonOf(await house.call('it', 'echo', { text: 'hi' })),
    'The server ended while it worked on the call: it no longer knows the session',
  )
  assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
  assert.equal(server.seen.filter((method) => method === 'initialize').length, 2)
})

test('a session is given up when the server is stopped, also by one that does not listen', async () => {
  const server = createStreamServer()
  const deaf: typeof server.listener = (request, response) => {
    if (request.method !== 'DELETE' || server.sessions.size === 1)
      server.listener(request, response)
  }
  await using house = await openRemote(remote(), deaf)
  await house.servers.start(id, never)
  await house.servers.stop(id)
  assert.equal(server.sessions.size, 0)
  await house.servers.start(id, never)
  server.sessions.set('another', undefined)
  await house.servers.stop(id)
})

test('a forgotten session is noticed between two calls as well', async () => {
  const server = createStreamServer()
  await using house = await openRemote(remote(), server.listener, { timings: { healthMs: 50 } })
  await house.servers.start(id, never)
  server.sessions.clear()
  await until(() => server.sessions.size === 1)
  await until(async () => (await house.servers.states())[0]?.badge === 'connected')
  assert.equal((await house.call('it', 'echo', { text: 'hi' })).kind, 'ok')
})
