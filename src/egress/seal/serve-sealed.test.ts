import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import test from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { TLSSocket } from 'node:tls'
import { openOutside, sendConnect, startTls } from '../test-outside.ts'
import { get, openSealedStage, SECRET } from './test-sealed.ts'

/** Reads on until the text so far fits. */
async function readUntil(tls: TLSSocket, fits: RegExp): Promise<string> {
  let read = ''
  while (!fits.test(read)) {
    const [piece] = (await once(tls, 'data')) as [Buffer]
    read += piece.toString('latin1')
  }
  return read
}

test('serveSealed() carries many requests over one connection, inside and outside', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const tls = await stage.connect('allowed.example')
  for (let n = 0; n < 5; n += 1) {
    const line = `Authorization: Bearer ${stage.placeholder}`
    tls.write(`GET /${n} HTTP/1.1\r\nHost: allowed.example\r\n${line}\r\n\r\n`)
    await readUntil(tls, /hello allowed\.example/)
  }
  assert.deepEqual(
    stage.asked.map(({ path }) => path),
    ['/0', '/1', '/2', '/3', '/4'],
  )
  assert.equal(outside.reached.length, 1)
  assert.equal(JSON.stringify(stage.asked).split(SECRET).length, 6)
  tls.destroy()
})

test('serveSealed() sends requests that come together one after the other', async () => {
  await using outside = await openOutside()
  let atOnce = 0
  let most = 0
  outside.answer = (request, response) => {
    atOnce += 1
    most = Math.max(most, atOnce)
    setTimeout(() => {
      atOnce -= 1
      response.end(`answer to ${request.url}`)
    }, 20)
  }
  await using stage = await openSealedStage(outside)
  const tls = await stage.connect('allowed.example')
  const paths = ['/a', '/b', '/c']
  tls.write(paths.map((one) => `GET ${one} HTTP/1.1\r\nHost: allowed.example\r\n\r\n`).join(''))
  const said = await readUntil(tls, /answer to \/c/)
  assert.deepEqual(said.match(/answer to \/./g), ['answer to /a', 'answer to /b', 'answer to /c'])
  assert.equal(most, 1)
  assert.equal(outside.reached.length, 1)
  tls.destroy()
})

test('SERVER-2: serveSealed() ends a connection with more waiting requests than any client has', async () => {
  await using outside = await openOutside()
  const { answer } = outside
  let isSilent = true
  outside.answer = (request, response) => {
    if (!isSilent) answer(request, response)
  }
  await using stage = await openSealedStage(outside)
  const flood = await stage.connect('allowed.example')
  const closed = new Promise((resolve) => flood.on('error', () => undefined).once('close', resolve))
  flood.write('GET / HTTP/1.1\r\nHost: allowed.example\r\n\r\n'.repeat(5000))
  await closed
  assert.ok(stage.asked.length <= 1)
  assert.equal(stage.proxy.proxy.blocked, 1, 'told once, however many requests came')
  assert.equal(outside.events[0]?.details?.['reason'], 'too many requests without an answer')

  isSilent = false
  const patient = await stage.connect('allowed.example')
  const last = 'GET / HTTP/1.1\r\nHost: allowed.example\r\nConnection: close\r\n\r\n'
  patient.write('GET / HTTP/1.1\r\nHost: allowed.example\r\n\r\n'.repeat(29) + last)
  assert.equal((await text(patient)).split('hello allowed.example').length - 1, 30)
})

test('serveSealed() sends no request that still waits when the server ends, and reads no credential for it', async () => {
  await using outside = await openOutside()
  const limits = { sealedRequests: { atOnce: 1, perSecond: 10 } }
  await using stage = await openSealedStage(outside, undefined, limits)
  const client = await stage.connect('allowed.example')
  client.on('error', () => undefined)
  const line = `Authorization: Bearer ${stage.placeholder}`
  client.write(`GET / HTTP/1.1\r\nHost: allowed.example\r\n${line}\r\n\r\n`.repeat(4))
  await once(client, 'data')
  await stage.end()
  await delay(600) // the turns of all three come; an error in one of them would be reported here
  assert.equal(stage.asked.length, 1)
})

test('serveSealed() lets requests above its limit wait, over all connections together', async () => {
  await using outside = await openOutside()
  const limits = { sealedRequests: { atOnce: 2, perSecond: 10 } }
  await using stage = await openSealedStage(outside, undefined, limits)
  const began = performance.now()
  const request = get('/', [])
  const all = [1, 2, 3, 4, 5].map(() => stage.send('allowed.example', request))
  for (const answer of await Promise.all(all)) assert.match(answer, / 200 /)
  assert.ok(performance.now() - began > 250, 'the last three came at ten a second')
})

test('serveSealed() fills a Basic authorization in, wherever the placeholder stands in it', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  for (const login of [`user:${stage.placeholder}`, `${stage.placeholder}:x-oauth-basic`]) {
    const coded = Buffer.from(login).toString('base64')
    await stage.send('allowed.example', get('/', [`Authorization: Basic ${coded}`]))
    const sent = stage.asked.at(-1)?.raw.find((word) => word.startsWith('Basic '))
    const plain = Buffer.from(sent?.slice(6) ?? '', 'base64').toString()
    assert.equal(plain, login.replace(stage.placeholder, SECRET))
  }
})

test('serveSealed() streams large bodies both ways unchanged', async () => {
  await using outside = await openOutside()
  const size = 20_000_000
  const content = Buffer.alloc(size, 'cordon ')
  const hash = createHash('sha256').update(content).digest('hex')
  outside.answer = (_request, response) => response.end(content)
  await using stage = await openSealedStage(outside)
  const tls = await stage.connect('allowed.example')
  const head = 'POST / HTTP/1.1\r\nHost: allowed.example\r\nConnection: close\r\n'
  tls.write(`${head}Transfer-Encoding: chunked\r\n\r\n${size.toString(16)}\r\n`)
  tls.write(content)
  tls.write('\r\n0\r\n\r\n')
  const pieces: Buffer[] = []
  for await (const piece of tls) pieces.push(piece as Buffer)
  const answer = Buffer.concat(pieces)
  const body = answer.subarray(answer.indexOf('\r\n\r\n') + 4)
  assert.equal(createHash('sha256').update(body).digest('hex'), hash)
  assert.equal(
    createHash('sha256')
      .update(stage.asked[0]?.body ?? '')
      .digest('hex'),
    hash,
  )
})

test('serveSealed() lets the host answer an Expect before the body is sent', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const tls = await stage.connect('allowed.example')
  tls.write('PUT / HTTP/1.1\r\nHost: allowed.example\r\nExpect: 100-continue\r\n')
  tls.write('Content-Length: 5\r\nConnection: close\r\n\r\n')
  await readUntil(tls, /HTTP\/1\.1 100 /)
  tls.write('after')
  assert.match(await text(tls), /hello/)
  assert.equal(stage.asked[0]?.body, 'after')
})

test('serveSealed() carries a WebSocket, and no other upgrade', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const upgrades: string[] = []
  outside.server.on('upgrade', (request, socket) => {
    upgrades.push(`${request.headers.authorization} ${request.headers.upgrade}`)
    socket.write('HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nhi ')
    socket.pipe(socket)
  })
  const tls = await stage.connect('allowed.example')
  const line = `Authorization: ${stage.placeholder}\r\nConnection: Upgrade`
  tls.write(`GET /ws HTTP/1.1\r\nHost: allowed.example\r\n${line}\r\nUpgrade: websocket\r\n\r\n`)
  await readUntil(tls, /^HTTP\/1\.1 101 [^]*\r\n\r\nhi $/)
  tls.write(`frame ${stage.placeholder}`)
  assert.equal(await readUntil(tls, /frame .*/), `frame ${stage.placeholder}`)
  assert.deepEqual(upgrades, [`${SECRET} websocket`])
  tls.destroy()
  const h2c = `${line}\r\nUpgrade: h2c\r\nConnection: close`
  const plain = `POST / HTTP/1.1\r\nHost: allowed.example\r\nContent-Length: 4\r\n${h2c}\r\n\r\nbody`
  assert.match(await stage.send('allowed.example', plain), /^HTTP\/1\.1 200 /)
  assert.equal(upgrades.length, 1)
  assert.equal(stage.asked.at(-1)?.body, 'body')
})

test('serveSealed() answers HTTP/1.0 without chunks', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const old = 'GET / HTTP/1.0\r\nHost: allowed.example\r\n\r\n'
  const answer = await stage.send('allowed.example', old)
  assert.match(answer, /^HTTP\/1\.1 200 /)
  assert.ok(!/transfer-encoding/i.test(answer))
})

test('serveSealed() ends the connection inside when the host ends its own', async () => {
  await using outside = await openOutside()
  outside.answer = (_request, response) => response.writeHead(200, { Connection: 'close' }).end('x')
  await using stage = await openSealedStage(outside)
  const request = 'GET / HTTP/1.1\r\nHost: allowed.example\r\n\r\n'
  assert.match(await stage.send('allowed.example', request), /Connection: close/i)
})

test('serveSealed() says how to switch sealing off when the server does not accept the certificate', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const { socket } = await sendConnect(stage.proxy.port, 'allowed.example:443')
  assert.equal(await startTls(socket, 'allowed.example'), undefined)
  await stage.proxy[Symbol.asyncDispose]()
  assert.match(
    stage.proxy.blocked.join(),
    /pins certificates .*`cordon mcp edit fixture --unseal TOKEN`/,
  )
})

test('createSeal() refuses a value that fits into no header', async () => {
  await using outside = await openOutside()
  const value = (): Buffer => Buffer.from('one\r\nX-Two: 2')
  await assert.rejects(
    outside.openSealed(['allowed.example'], [{ name: 'KEY', hosts: ['allowed.example'], value }]),
    { code: 'egress.unsealable' },
  )
})
