/** Escapes through a tunnel that was allowed: another name in TLS, no TLS at all, a second request, a relay. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import test from 'node:test'
import { helloFor, helloMessage, records } from '../../../src/egress/test-hello.ts'
import {
  getThrough,
  listen,
  openOutside,
  send,
  sendConnect,
  startTls,
} from '../../../src/egress/test-outside.ts'
import { openBareProxy } from './bare-proxy.ts'

/** A host that takes anything, and what it was sent. */
async function openListener(): Promise<
  { readonly port: number; readonly heard: () => string } & Disposable
> {
  let heard = ''
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => undefined))
    socket.on('data', (chunk) => {
      heard += String(chunk)
      socket.write('heard')
    })
  })
  const port = await listen(server)
  return {
    port,
    heard: () => heard,
    [Symbol.dispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

test('EGRESS-3: 45: TLS for another host than the one asked for is closed', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'])
  await using bare = await openBareProxy(outside)
  const front = async (port: number): Promise<boolean> => {
    const { socket } = await sendConnect(port, 'allowed.example:443')
    const tls = await startTls(socket, 'evil.example')
    tls?.destroy()
    return tls !== undefined
  }
  assert.equal(await front(proxy.port), false)
  assert.deepEqual(outside.reached, [])
  assert.deepEqual(proxy.blocked, ['Blocked: MCP server tried to reach evil.example'])
  assert.equal(await front(bare.port), true, 'the test bites')
})

test('46: a tunnel that is not TLS with a readable name is closed, and not a byte of it is passed on', async () => {
  await using outside = await openOutside()
  using listener = await openListener()
  const toListener = { connect: () => connect(listener.port, '127.0.0.1') }
  await using proxy = await outside.openProxy(['allowed.example'], toListener)
  for (const [what, bytes] of [
    ['no server name', records(helloMessage(Buffer.alloc(0)))],
    ['an address as server name', helloFor('127.0.0.1')],
    ['plain http', Buffer.from('GET / HTTP/1.1\r\nHost: allowed.example\r\n\r\n')],
    ['an SSH banner', Buffer.from('SSH-2.0-OpenSSH_9.2\r\n')],
    ['a second CONNECT', Buffer.from('CONNECT evil.example:443 HTTP/1.1\r\n\r\n')],
    [
      'sixteen kilobytes of a hello without end',
      Buffer.concat(Array(9000).fill(Buffer.of(22, 3, 1, 0, 1, 1))),
    ],
  ] as const) {
    const { status, socket } = await sendConnect(proxy.port, 'allowed.example:443')
    assert.equal(status, 200)
    socket.write(bytes)
    await once(socket.resume(), 'close')
    assert.equal(listener.heard(), '', what)
  }
  assert.equal(proxy.proxy.blocked, 6)

  await using bare = await openBareProxy({ ...outside, parts: () => outside.parts(toListener) })
  const { socket } = await sendConnect(bare.port, 'allowed.example:443')
  socket.write('SSH-2.0-OpenSSH_9.2\r\n')
  await once(socket.resume(), 'data')
  assert.match(listener.heard(), /SSH/, 'the test bites')
  socket.destroy()
})

test('47: requests for plain http and smuggled second requests are refused', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'])
  const connectLine = 'CONNECT allowed.example:443 HTTP/1.1\r\n'
  for (const [status, text] of [
    [403, 'GET http://allowed.example/ HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
    [
      403,
      'POST http://evil.example/ HTTP/1.1\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n',
    ],
    [400, `${connectLine}Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n`],
    [400, `${connectLine}Content-Length: 60\r\n\r\nCONNECT evil.example:443 HTTP/1.1\r\n\r\n`],
    [400, `${connectLine}Host: a\r\nHost: b\r\n\r\n`],
    [400, `${connectLine}X: y\nCONNECT evil.example:443 HTTP/1.1\r\n\r\n`],
    [400, `${connectLine}X: y\r\n folded\r\n\r\n`],
  ] as const) {
    assert.equal((await send(proxy.port, text)).status, status, JSON.stringify(text))
  }
  assert.deepEqual(outside.queries, [])
  const pipelined = await send(
    proxy.port,
    `${connectLine}\r\nCONNECT evil.example:443 HTTP/1.1\r\n\r\n`,
  )
  await (pipelined.socket.closed || once(pipelined.socket.resume(), 'close'))
  assert.deepEqual(outside.queries, ['allowed.example'], 'the second name was never looked up')
  assert.deepEqual(outside.reached, [])
})

test('50: a relay inside the sandbox gets no further than the server itself', async () => {
  await using outside = await openOutside()
  await using proxy = await outside.openProxy(['allowed.example'])
  await using bare = await openBareProxy(outside)
  const relayTo = async (port: number): Promise<{ readonly port: number } & Disposable> => {
    const relay = createServer((client) => {
      const onward = connect(port, '127.0.0.1').on('error', () => undefined)
      client
        .on('error', () => undefined)
        .pipe(onward)
        .pipe(client)
    })
    return { port: await listen(relay), [Symbol.dispose]: () => void relay.close() }
  }
  using relay = await relayTo(proxy.port)
  using bareRelay = await relayTo(bare.port)
  assert.equal((await sendConnect(relay.port, 'evil.example:443')).status, 403)
  assert.equal(await getThrough(relay.port, 'allowed.example'), 'hello allowed.example')
  assert.equal(
    (await sendConnect(relay.port, 'evil.example:443')).status,
    403,
    'also after a good one',
  )
  const open = await sendConnect(bareRelay.port, 'evil.example:443')
  assert.equal(open.status, 200, 'the test bites')
  open.socket.destroy()
})
