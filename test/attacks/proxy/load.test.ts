/** Escapes by force: slow and many connections, a resolver that breaks, and what they may not do to other servers. */
import assert from 'node:assert/strict'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'node:test'
import { getThrough, openOutside, sendConnect } from '../../../src/egress/test-outside.ts'
import { openBareProxy } from './bare-proxy.ts'

/** Opens so many connections that never finish their request; tells how many were not turned away. */
async function openMany(
  port: number,
  count: number,
): Promise<{ readonly held: number } & Disposable> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    // In waves: a queue of connections that nobody took yet has an end of its own.
    const wave = Array.from({ length: Math.min(100, count - sockets.length) }, () => openSlow(port))
    sockets.push(...(await Promise.all(wave)))
  }
  return {
    held: sockets.filter((socket) => !socket.readableEnded && !socket.destroyed).length,
    [Symbol.dispose]: () => {
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Waits a moment for being turned away. */
async function openSlow(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => undefined)
  socket.write('CONNECT allowed.example:443 HTTP/1.1\r\nX: slow')
  const settled = Promise.withResolvers<void>()
  socket.resume().once('end', settled.resolve).once('close', settled.resolve)
  const timer = setTimeout(settled.resolve, 200)
  await settled.promise
  clearTimeout(timer)
  return socket
}

test('51: a thousand slow connections are capped at 64, and the next server does not notice', async () => {
  await using outside = await openOutside()
  await using loud = await outside.openProxy(['allowed.example'])
  await using quiet = await outside.openProxy(['allowed.example'])
  using many = await openMany(loud.port, 1000)
  assert.equal(many.held, 64)
  assert.equal(loud.proxy.blocked, 936)
  assert.ok(outside.events.length <= 2, 'one row for all of them')
  const began = performance.now()
  assert.equal(await getThrough(quiet.port, 'allowed.example'), 'hello allowed.example')
  assert.ok(performance.now() - began < 500)
  const refused = await sendConnect(loud.port, 'allowed.example:443')
  assert.ok([0, 503].includes(refused.status))

  await using bare = await openBareProxy(outside)
  using all = await openMany(bare.port, 200)
  assert.equal(all.held, 200, 'the test bites')
})

test('51: slow connections are closed in time, and make room again', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'], {
    limits: { headMs: 400, tunnels: 8 },
  })
  using slow = await openMany(proxy.port, 8)
  assert.equal(slow.held, 8)
  assert.equal((await sendConnect(proxy.port, 'allowed.example:443')).status, 503)
  await sleep(400)
  assert.equal(await getThrough(proxy.port, 'allowed.example'), 'hello allowed.example')
})

test('51: new tunnels are held to a rate, and a server that is over it gets 429', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'])
  const replies = await Promise.all(
    Array.from({ length: 40 }, () => sendConnect(proxy.port, 'allowed.example:443')),
  )
  const opened = replies.filter(({ status }) => status === 200)
  for (const { socket } of opened) socket.destroy()
  assert.ok(opened.length >= 20 && opened.length <= 24, `${opened.length} opened`)
  assert.equal(replies.filter(({ status }) => status === 429).length, 40 - opened.length)
  assert.ok(outside.queries.length <= 24, 'what is over the rate is not looked up')
})

test('52: when the resolver or the way out breaks, nothing gets out', async () => {
  await using outside = await openOutside()
  const breaks: readonly (() => Promise<readonly string[]>)[] = [
    () => Promise.reject(new Error('broken')),
    () => {
      throw new Error('broken at once')
    },
    () => Promise.resolve(undefined as unknown as string[]),
    () => Promise.resolve([null as unknown as string]),
  ]
  for (const resolve of breaks) {
    await using proxy = await outside.openProxy(['allowed.example'], { resolve })
    assert.ok([403, 502].includes((await sendConnect(proxy.port, 'allowed.example:443')).status))
  }
  await using proxy = await outside.openProxy(['allowed.example'], {
    connect: () => {
      throw new Error('broken')
    },
  })
  assert.equal((await sendConnect(proxy.port, 'allowed.example:443')).status, 0)
  assert.match(outside.logged.at(-1) ?? '', /because of a bug/)
  assert.equal((await sendConnect(proxy.port, 'evil.example:443')).status, 403, 'and it lives on')
  assert.deepEqual(outside.dialled, [])
})
