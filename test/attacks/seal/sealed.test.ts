/**
 * Attempts of a server to get a sealed credential out of the proxy: real TLS from inside under the sandbox's authority,
 * real TLS to hosts on loopback. In each the value may reach the credential's own host in a header, and nothing else.
 */
import assert from 'node:assert/strict'
import test from 'node:test'
import {
  get,
  openSealedStage,
  SECRET,
  type SealedStage,
} from '../../../src/egress/seal/test-sealed.ts'
import { openOutside, sendConnect, startTls } from '../../../src/egress/test-outside.ts'
import { until } from '../../fixtures/until.ts'

function headerOf(stage: SealedStage, name: string, at = -1): string | undefined {
  const raw = stage.asked.at(at)?.raw ?? []
  return raw[raw.findIndex((word, index) => index % 2 === 0 && word.toLowerCase() === name) + 1]
}

const everything = (stage: SealedStage): string => JSON.stringify(stage.asked)

test('SEAL-1: the host of a sealed credential is told its value in a header, and in nothing else', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const { placeholder } = stage
  assert.ok(!placeholder.includes(SECRET))
  const body = JSON.stringify({ token: placeholder })
  const answer = await stage.send(
    'allowed.example',
    `POST /${placeholder}?token=${placeholder} HTTP/1.1\r\nHost: allowed.example\r\n` +
      `Authorization: Bearer ${placeholder}\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
  )
  assert.match(answer, /hello allowed\.example/)
  assert.equal(headerOf(stage, 'authorization'), `Bearer ${SECRET}`)
  assert.equal(stage.asked[0]?.path, `/${placeholder}?token=${placeholder}`)
  assert.equal(stage.asked[0]?.body, body)
  assert.equal(everything(stage).split(SECRET).length, 2, 'the value stands in one place')
})

test('SEAL-1: a placeholder stays one at every other host, and the audit log says that it went there', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const login = Buffer.from(`user:${stage.placeholder}`).toString('base64')
  for (const host of ['other.example', 'a.wild.example']) {
    const lines = [`Authorization: Bearer ${stage.placeholder}`, `X-Token: ${stage.placeholder}`]
    assert.match(await stage.send(host, get(`/?t=${stage.placeholder}`, lines, host)), / 200 /)
    await stage.send(host, get('/', [`Authorization: Basic ${login}`], host))
  }
  assert.ok(!everything(stage).includes(SECRET))
  assert.equal(headerOf(stage, 'authorization', 0), `Bearer ${stage.placeholder}`)
  const notes = outside.events.filter(({ kind }) => kind === 'egress.placeholder')
  assert.deepEqual(
    notes.map(({ details }) => [details?.['host'], details?.['reason']]),
    ['other.example', 'a.wild.example'].flatMap((host) =>
      ['header authorization', 'header x-token', 'path'].map((where) => [
        host,
        `TOKEN in ${where}`,
      ]),
    ),
  )
  assert.ok(!JSON.stringify(outside.events).includes(stage.placeholder))
})

test('SEAL-1: a host whose name only ends or begins like the credential’s is another host', async () => {
  await using outside = await openOutside()
  outside.names.set('b.a.wild.example', ['127.0.0.1'])
  await using stage = await openSealedStage(outside, ['b.wild.example'])
  await stage.send(
    'a.wild.example',
    get('/', [`Authorization: ${stage.placeholder}`], 'a.wild.example'),
  )
  assert.equal(headerOf(stage, 'authorization'), stage.placeholder)
  for (const host of ['evilallowed.example', 'allowed.example.evil.example']) {
    assert.equal((await sendConnect(stage.proxy.port, `${host}:443`)).status, 403)
  }
})

test('SEAL-1: the value stands in no header that a service may repeat in an error', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const names = [
    'Accept',
    'User-Agent',
    'Referer',
    'If-None-Match',
    'X-Request-Id',
    'Origin',
    'Range',
    'Idempotency-Key',
    'X-Request-Token',
    'X-CSRF-Token',
    'X-Cache-Key',
    'X-Author',
    'Sec-WebSocket-Key',
  ]
  const lines = names.map((name) => `${name}: ${stage.placeholder}`)
  await stage.send('allowed.example', get('/', lines))
  assert.ok(!everything(stage).includes(SECRET))
})

test('SEAL-1: a request that asks the host to repeat it, or to lead it on, is refused', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const line = `Authorization: ${stage.placeholder}`
  for (const start of ['TRACE /', 'CONNECT other.example:443', 'CONNECT /', 'OPTIONS *']) {
    const [method = '', target = ''] = start.split(' ')
    const request = get(target, [line]).replace('GET', method)
    assert.doesNotMatch(await stage.send('allowed.example', request), / 200 /, start)
  }
  assert.deepEqual(stage.asked, [])
})

test('SEAL-1: a placeholder that comes in pieces or in another spelling is never filled in', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const { placeholder } = stage
  const [half, rest] = [placeholder.slice(0, 20), placeholder.slice(20)]
  const lines = [
    `Authorization: ${half}`,
    `Authorization: ${rest}`,
    `X-Token: ${half} ${rest}`,
    `X-Api-Key: ${placeholder.toUpperCase()}`,
    `X-Secret: ${encodeURIComponent(`%${placeholder.replace('C', '%43')}`)}`,
  ]
  await stage.send('allowed.example', get(`/?${placeholder}`, lines))
  const body = `${half.length.toString(16)}\r\n${half}\r\n${rest.length.toString(16)}\r\n${rest}\r\n0\r\n\r\n`
  await stage.send(
    'allowed.example',
    `POST / HTTP/1.1\r\nHost: allowed.example\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n${body}`,
  )
  assert.equal(stage.asked.at(-1)?.body, placeholder)
  assert.ok(!everything(stage).includes(SECRET))
})

test('SEAL-1: an answer that repeats the value in a header arrives with the placeholder', async () => {
  await using outside = await openOutside()
  outside.answer = (request, response) => {
    const { authorization = '' } = request.headers
    const place = `https://other.example/?t=${encodeURIComponent(authorization)}`
    response.writeHead(302, `Seen ${authorization}`, { 'X-Echo': authorization, Location: place })
    response.end()
  }
  await using stage = await openSealedStage(outside)
  const answer = await stage.send(
    'allowed.example',
    get('/', [`Authorization: ${stage.placeholder}`]),
  )
  assert.equal(headerOf(stage, 'authorization'), SECRET)
  assert.ok(!answer.includes(SECRET))
  assert.equal(answer.split(stage.placeholder).length, 4)
})

test('SEAL-1: a redirect to another host leads the placeholder there', async () => {
  await using outside = await openOutside()
  outside.answer = ({ headers }, response) => {
    const next =
      headers.host === 'allowed.example' ? { Location: 'https://other.example/next' } : {}
    response.writeHead(next.Location ? 307 : 200, next).end()
  }
  await using stage = await openSealedStage(outside)
  const line = `Authorization: ${stage.placeholder}`
  const first = await stage.send('allowed.example', get('/', [line]))
  assert.match(first, /Location: https:\/\/other\.example\/next/)
  await stage.send('other.example', get('/next', [line], 'other.example'))
  assert.equal(headerOf(stage, 'authorization'), stage.placeholder)
})

test('SEAL-1: a request that names another host than the connection is refused', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const line = `Authorization: ${stage.placeholder}`
  const bad: readonly (readonly [string, RegExp])[] = [
    [get('/', [line], 'other.example'), / 421 /],
    [get('/', [line, 'Host: other.example']), / 400 /],
    [get('https://other.example/', [line]), / 400 /],
    [get('https://allowed.example/', [line]), / 400 /],
    [`GET / HTTP/1.1\r\n${line}\r\nConnection: close\r\n\r\n`, / 400 /],
    [`GET / HTTP/1.0\r\n${line}\r\n\r\n`, / 400 /],
  ]
  for (const [request, status] of bad) {
    assert.match(await stage.send('allowed.example', request), status, request)
  }
  assert.deepEqual(stage.asked, [])
})

test('SEAL-1: TLS for another name than the tunnel’s is closed', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const { socket } = await sendConnect(stage.proxy.port, 'other.example:443')
  const tls = await startTls(socket, 'allowed.example', stage.proxy.seal?.authority.certificate)
  assert.equal(tls, undefined)
  assert.deepEqual(stage.asked, [])
})

test('SEAL-1: a request that two parsers could read differently is refused', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const line = `Authorization: ${stage.placeholder}`
  const head = `POST / HTTP/1.1\r\nHost: allowed.example\r\n${line}\r\n`
  const smuggled = 'GET /smuggled HTTP/1.1\r\nHost: allowed.example\r\n\r\n'
  const requests = [
    `${head}Content-Length: 3\r\nContent-Length: 0\r\n\r\nabc${smuggled}`,
    `${head}Content-Length: 3, 0\r\n\r\nabc${smuggled}`,
    `${head}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `${head}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n${smuggled}`,
    `${head}Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n`,
    `${head}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `${head}Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `${head}Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n${smuggled}`,
    `${head}X-A: b\rX-C: d\r\nContent-Length: 0\r\n\r\n`,
    `${head}X-A: b\nX-C: d\r\nContent-Length: 0\r\n\r\n`,
    `${head}X-A: b\0\r\nContent-Length: 0\r\n\r\n`,
    `${head}Content-Length: +3\r\n\r\nabc`,
    `${head}Transfer-Encoding: chunked\r\n\r\n3;\nx\r\nabc\r\n0\r\n\r\n`,
  ]
  for (const request of requests) {
    assert.match(await stage.send('allowed.example', request), /^HTTP\/1\.1 400 /, request)
  }
  assert.deepEqual(stage.asked, [])
})

test('SEAL-1: a trailer field is not filled in', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  await stage.send(
    'allowed.example',
    'POST / HTTP/1.1\r\nHost: allowed.example\r\nTransfer-Encoding: chunked\r\nTrailer: Authorization\r\n' +
      `Connection: close\r\n\r\n3\r\nabc\r\n0\r\nAuthorization: ${stage.placeholder}\r\n\r\n`,
  )
  assert.equal(stage.asked[0]?.body, 'abc')
  assert.ok(!everything(stage).includes(SECRET))
})

test('SEAL-1: a connection header does not strip the credential or any other field', async () => {
  await using outside = await openOutside()
  await using stage = await openSealedStage(outside)
  const line = `Authorization: ${stage.placeholder}`
  const request = `GET / HTTP/1.0\r\nHost: allowed.example\r\n${line}\r\nConnection: close, Authorization\r\n\r\n`
  assert.match(await stage.send('allowed.example', request), / 200 /)
  assert.equal(headerOf(stage, 'authorization'), SECRET)
  assert.match(headerOf(stage, 'connection') ?? '', /^(?:keep-alive|close)$/)
})

test('SEAL-1: a host that cannot prove its name is told nothing', async () => {
  await using outside = await openOutside()
  outside.names.set('wild.example', ['127.0.0.1']) // its certificate is for names below
  await using stage = await openSealedStage(outside, ['b.a.wild.example'])
  outside.names.set('b.a.wild.example', ['127.0.0.1'])
  const line = `Authorization: ${stage.placeholder}`
  const answer = await stage.send('b.a.wild.example', get('/', [line], 'b.a.wild.example'))
  assert.match(answer, / 502 /)
  assert.deepEqual(stage.asked, [])
  await until(() => outside.events.some(({ kind }) => kind === 'egress.failed'))
})

test('SERVER-2: no answer of a host and no bytes of a server end the proxy', async () => {
  await using outside = await openOutside()
  const heads = [
    'HTTP/1.1 200 a\x01b\r\nContent-Length: 0',
    'HTTP/1.1 000 none\r\nContent-Length: 0',
    'HTTP/1.1 099 low\r\nContent-Length: 0',
    'HTTP/1.1 101 Switching\r\nConnection: Upgrade\r\nUpgrade: websocket',
    'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nContent-Length: 0',
    'HTTP/1.1 200 OK\r\nX: a\x01b\r\nContent-Length: 0',
    'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz',
    'nonsense',
  ]
  outside.answer = ({ url = '', socket }, response) => {
    const head = heads[Number(url.slice(1))]
    if (head === undefined) response.end('fine')
    else socket.end(`${head}\r\n\r\n`, 'latin1')
  }
  await using stage = await openSealedStage(outside)
  for (const index of heads.keys()) {
    await stage.send('allowed.example', get(`/${index}`, []))
  }
  const whole = get('/fine', [`Authorization: ${stage.placeholder}`])
  const odd = ['\0', '\x7f', '\r', '\n', ' ', '\xff', '\t', ':', '\r\n\r\n', '\x80']
  for (const [index, word] of odd.entries()) {
    for (let at = index; at < whole.length; at += 29) {
      const tls = await stage.connect('allowed.example')
      tls.end(whole.slice(0, at) + word + whole.slice(at), 'latin1')
      tls.resume()
      await new Promise((resolve) => tls.once('close', resolve))
    }
  }
  assert.match(await stage.send('allowed.example', whole), /fine/)
})
