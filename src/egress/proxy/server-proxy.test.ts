import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'node:test'
import { getThrough, openOutside, send, sendConnect, startTls } from '../test-outside.ts'
import { helloFor } from './test-hello.ts'

test('a proxy lets a server reach the hosts on its list, and records the tunnel', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example', '*.wild.example'])
  assert.equal(await getThrough(proxy.port, 'allowed.example'), 'hello allowed.example')
  assert.equal(await getThrough(proxy.port, 'a.wild.example'), 'hello a.wild.example')
  await proxy[Symbol.asyncDispose]()
  assert.deepEqual(outside.dialled, ['127.0.0.1', '127.0.0.1'])
  assert.equal(outside.events.length, 2)
  const { kind, subject, details } = outside.events[0] ?? {}
  assert.deepEqual([kind, subject], ['egress.tunnel', 'fixture'])
  const { up, down, ms, ...where } = details ?? {}
  assert.deepEqual(where, { host: 'allowed.example', port: 443, address: '127.0.0.1' })
  assert.ok(Number(up) > 200 && Number(down) > 500 && Number(ms) >= 0)
})

test('a proxy tells of what it refuses: to the server, the log, the record and the owner', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'])
  const { status, body } = await sendConnect(proxy.port, 'evil.example:443')
  assert.deepEqual([status, body], [403, 'host is not allowed'])
  assert.deepEqual(proxy.blocked, ['Blocked: MCP server tried to reach evil.example'])
  assert.equal(proxy.proxy.blocked, 1)
  assert.deepEqual(outside.events[0]?.details, {
    host: 'evil.example',
    port: 443,
    reason: 'host is not allowed',
  })
  assert.match(outside.logged[0] ?? '', /^warn Blocked: MCP server tried to reach evil.example/)
})

test('a proxy tries the next vetted address when one does not answer', async () => {
  await using outside = await openOutside()
  outside.names.set('allowed.example', ['127.0.0.9', '127.0.0.1'])
  const dialled: string[] = []
  await using proxy = await outside.openProxy(['allowed.example'], {
    dangerouslyAllowAddress: (address) => address.startsWith('127.'),
    connect(address) {
      dialled.push(address)
      return connect({ host: '127.0.0.1', port: address === '127.0.0.1' ? outside.port : 1 })
    },
  })
  assert.equal(await getThrough(proxy.port, 'allowed.example'), 'hello allowed.example')
  assert.deepEqual(dialled, ['127.0.0.9', '127.0.0.1'])
})

test('a proxy answers 502 when no address answers, and does not call it blocked', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example', 'nowhere.example'], {
    connect: () => connect({ host: '127.0.0.1', port: 1 }),
  })
  assert.equal((await sendConnect(proxy.port, 'allowed.example:443')).status, 502)
  assert.equal((await sendConnect(proxy.port, 'nowhere.example:443')).status, 502)
  assert.deepEqual(proxy.blocked, [
    'MCP server could not reach allowed.example:443 (host does not answer)',
    'MCP server could not reach nowhere.example:443 (host cannot be resolved)',
  ])
  assert.deepEqual(
    outside.events.map(({ kind }) => kind),
    ['egress.failed', 'egress.failed'],
  )
})

test('a proxy takes a hello that comes in pieces, or together with the request', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'])
  const hello = helloFor('allowed.example')
  const { socket } = await sendConnect(proxy.port, 'allowed.example:443')
  for (const piece of [hello.subarray(0, 3), hello.subarray(3, 60), hello.subarray(60)]) {
    socket.setNoDelay(true).write(piece)
    await sleep(20)
  }
  const [answer] = (await once(socket.resume(), 'data')) as [Buffer]
  assert.ok([21, 22].includes(answer[0] ?? 0), 'the TLS server answered')
  socket.destroy()

  const request = Buffer.from('CONNECT allowed.example:443 HTTP/1.1\r\n\r\n')
  const early = await send(proxy.port, Buffer.concat([request, hello]))
  assert.equal(early.status, 200)
  assert.ok(early.socket.destroyed || (await once(early.socket.resume(), 'end')))
  assert.deepEqual(proxy.blocked, [])
})

test('a proxy passes on the end of a client that sent everything at once', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'])
  const socket = connect({ port: proxy.port, host: '127.0.0.1', allowHalfOpen: true })
  const request = Buffer.from('CONNECT allowed.example:443 HTTP/1.1\r\n\r\n')
  socket.end(Buffer.concat([request, helloFor('allowed.example')]))
  await once(socket.resume(), 'close')
  await proxy.proxy[Symbol.asyncDispose]()
  assert.equal(outside.events[0]?.kind, 'egress.tunnel')
})

test('a proxy outlives clients that reset at any moment', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'], { limits: { tunnels: 4 } })
  for (let tries = 0; tries < 60; tries += 1) {
    const host = tries % 2 === 0 ? 'evil.example' : 'allowed.example'
    const socket = connect(proxy.port, '127.0.0.1').on('error', () => undefined)
    socket.write(`CONNECT ${host}:443 HTTP/1.1\r\n\r\n`)
    setTimeout(() => socket.resetAndDestroy(), (tries % 6) * 0.5)
  }
  let page: string | undefined // undefined until enough of the 60 connections have ended
  while (page === undefined) {
    await sleep(100)
    page = await getThrough(proxy.port, 'allowed.example')
  }
  assert.equal(page, 'hello allowed.example')
  assert.ok(!outside.logged.some((line) => line.includes('bug')))
})

test('a proxy makes a client that connects faster than its limit wait for the answer', async () => {
  await using outside = await openOutside()
  const limits = { connections: { atOnce: 2, perSecond: 10 } }
  await using proxy = await outside.openProxy(['allowed.example'], { limits })
  const began = performance.now()
  for (let tries = 0; tries < 5; tries += 1) {
    assert.equal((await sendConnect(proxy.port, 'evil.example:443')).status, 403)
  }
  assert.ok(performance.now() - began > 250, 'the last three came at ten a second')
  assert.equal(await getThrough(proxy.port, 'allowed.example'), 'hello allowed.example')
})

test('a proxy ends the waiting of its clients when it is disposed', async () => {
  await using outside = await openOutside()
  const limits = { connections: { atOnce: 1, perSecond: 0.001 } }
  await using proxy = await outside.openProxy(['allowed.example'], { limits })
  assert.equal((await sendConnect(proxy.port, 'evil.example:443')).status, 403)
  const waiting = sendConnect(proxy.port, 'evil.example:443')
  await sleep(50)
  await proxy.proxy[Symbol.asyncDispose]()
  assert.equal((await waiting).status, 0)
})

test('SERVER-2: a proxy closes its listener to a server that connects without a pause, and says so', async () => {
  await using outside = await openOutside()
  const limits = { tunnels: 1, turnedAway: { atOnce: 4, perSecond: 0 } }
  await using proxy = await outside.openProxy(['allowed.example'], { limits })
  const { socket } = await sendConnect(proxy.port, 'allowed.example:443')
  const tls = await startTls(socket, 'allowed.example')
  const flood = Array.from({ length: 5 }, () => connect(proxy.port, '127.0.0.1'))
  const closed = flood.map((one) => {
    return new Promise((resolve) => one.on('error', resolve).on('close', resolve).resume())
  })
  await Promise.all(closed)
  const late = connect(proxy.port, '127.0.0.1')
  const [error] = (await once(late, 'error')) as [NodeJS.ErrnoException]
  assert.equal(error.code, 'ECONNREFUSED')
  assert.match(proxy.blocked.at(-1) ?? '', /^Blocked: .* no network until it is started again$/)
  tls?.write('GET / HTTP/1.1\r\nHost: allowed.example\r\nConnection: close\r\n\r\n')
  const [answer] = tls ? ((await once(tls, 'data')) as [Buffer]) : []
  assert.match(String(answer), /^HTTP\/1\.1 200 /, 'an open tunnel stays')
  await proxy.proxy[Symbol.asyncDispose]()
  const reasons = outside.events.map(({ details }) => details?.['reason'])
  assert.ok(reasons.includes('connections without a pause'))
})

test('a proxy closes what is too long, too slow or idle', async () => {
  await using outside = await openOutside()
  const limits = { headMs: 2000, helloMs: 2000, idleMs: 2000 }
  await using proxy = await outside.openProxy(['allowed.example'], { limits })
  const long = await send(
    proxy.port,
    `CONNECT allowed.example:443 HTTP/1.1\r\nX: ${'a'.repeat(9000)}\r\n\r\n`,
  )
  assert.equal(long.status, 0)
  assert.equal((await send(proxy.port, 'CONNECT allowed.exa')).status, 0)
  const silent = await sendConnect(proxy.port, 'allowed.example:443')
  await once(silent.socket.resume(), 'close')
  const { socket } = await sendConnect(proxy.port, 'allowed.example:443')
  const tls = await startTls(socket, 'allowed.example')
  await once(tls?.resume() ?? socket, 'close')
  await proxy.proxy[Symbol.asyncDispose]()
  assert.deepEqual(
    outside.events.map(({ kind, details }) => [kind, details?.['reason']]),
    [
      ['egress.blocked', 'request is too long'],
      ['egress.blocked', 'request is too slow'],
      ['egress.blocked', 'TLS hello is too slow'],
      ['egress.tunnel', undefined],
    ],
  )
})

test('a disposed proxy has ended its tunnels and its dials, and takes nothing more', async () => {
  await using outside = await openOutside()
  const asked = Promise.withResolvers<void>()
  await using proxy = await outside.openProxy(['allowed.example', 'slow.example'], {
    async resolve(host) {
      if (host !== 'slow.example') return ['127.0.0.1']
      asked.resolve()
      return await new Promise(() => undefined)
    },
  })
  const { socket } = await sendConnect(proxy.port, 'allowed.example:443')
  const tls = await startTls(socket, 'allowed.example')
  const waiting = sendConnect(proxy.port, 'slow.example:443')
  await asked.promise
  await proxy.proxy[Symbol.asyncDispose]()
  assert.ok(tls?.destroyed === true || (await once(tls ?? socket, 'close')))
  assert.equal((await waiting).status, 0)
  assert.equal((await sendConnect(proxy.port, 'allowed.example:443')).status, 0)
})

test('a proxy goes on when the audit log takes no records', async () => {
  await using outside = await openOutside()
  const audit = {
    append: (): never => {
      throw new Error('damaged')
    },
  }
  await using proxy = await outside.openProxy(['allowed.example'], { audit })
  assert.equal((await sendConnect(proxy.port, 'evil.example:443')).status, 403)
  assert.equal(await getThrough(proxy.port, 'allowed.example'), 'hello allowed.example')
})
