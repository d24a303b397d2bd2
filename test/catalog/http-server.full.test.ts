/** The bundled HTTP server, installed and run like any other: sandbox, proxy, TLS, and a site that needs a token. */
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { IncomingMessage, OutgoingHttpHeaders } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { after, test } from 'node:test'
import type { Json } from '../../src/text/json.ts'
import { define, never, openHouse, type TestHouse } from '../servers/runtime/direct-sandbox.ts'
import { egressTo, openPackageHouse } from './package-house.ts'
import { AUTHORITY, HOST } from './stand-in-registry.ts'

const TOKEN = 'tok_CANARY_51f0'
const fixtures = new URL('../attacks/proxy/fixtures/', import.meta.url)
const pem = (name: string) => readFileSync(new URL(name, fixtures))
const seen: { readonly line: string; readonly body: string; readonly type: string | undefined }[] =
  []
const answers: Readonly<Record<string, readonly [number, OutgoingHttpHeaders, string]>> = {
  '/api/away': [302, { location: 'https://evil.example/' }, ''],
  '/api/large': [200, { 'content-type': 'text/plain' }, 'x'.repeat(3 * 2 ** 20)],
  '/api/picture': [200, { 'content-type': 'image/png' }, 'PNG'],
}
const ISSUES = [200, { 'content-type': 'application/json' }, '{"issues":[7]}'] as const
const STRANGER = [401, { 'content-type': 'text/plain' }, 'who are you?'] as const
const tls = { key: pem('server-key.pem'), cert: pem('server.pem') }
const site = createServer(tls, (request, response) => {
  const { authorization, 'x-key': key, 'content-type': type } = request.headers
  const isKnown = authorization === `Bearer ${TOKEN}` || key === TOKEN
  const [status, headers, text] = isKnown ? (answers[request.url ?? ''] ?? ISSUES) : STRANGER
  void bodyOf(request).then((body) => {
    seen.push({ line: `${request.method} ${request.url}`, body, type })
    return response.writeHead(status, headers).end(text)
  })
})
site.listen(0, '127.0.0.1')
await once(site, 'listening')
const { port } = site.address() as AddressInfo
const egress = egressTo(port)
const packages = await openPackageHouse(egress)
after(async () => {
  await packages[Symbol.asyncDispose]()
  site.closeAllConnections()
  site.close()
})
const { id } = define('tracker', 'none')
const launch = { kind: 'http', baseUrl: `https://${HOST}/api` } as const
const installed = await packages.packages.install('tracker', launch, () => undefined, never)

async function bodyOf(request: IncomingMessage): Promise<string> {
  let text = ''
  for await (const chunk of request) text += String(chunk)
  return text
}

async function open(env: Readonly<Record<string, string>> = {}): Promise<TestHouse> {
  const plain = define('tracker', 'none')
  const definition = {
    ...plain,
    command: 'node',
    args: [installed.entry],
    env: { CORDON_HTTP_BASE_URL: launch.baseUrl, NODE_EXTRA_CA_CERTS: AUTHORITY, ...env },
    allowedDomains: [HOST],
    sandbox: { ...plain.sandbox, readPaths: [AUTHORITY] },
  }
  return await openHouse([definition], {
    sandbox: packages.sandbox,
    egress,
    timings: { startMs: 300_000 },
  })
}

async function say(house: TestHouse, tool: string, args: Record<string, Json>): Promise<string> {
  return JSON.stringify(await house.call('tracker', tool, args))
}

test('the bundled HTTP server is installed and checked like any package', async () => {
  assert.deepEqual(packages.list(), [`tracker@${installed.version}`])
  await packages.packages.check(installed.folder)
  assert.equal(installed.packages, 1)
})

test('the HTTP server reads and writes below its address, with its token in the header', async () => {
  await using house = await open({ CORDON_HTTP_TOKEN: TOKEN })
  await house.servers.start(id, never)
  const [read, write] = await house.servers.tools(id)
  assert.deepEqual([read?.name, write?.name], ['http_get', 'http_request'])
  assert.match(await say(house, 'http_get', { path: '/issues', query: { q: 'a b' } }), /issues.*7/)
  const body = '{"title":"x"}'
  assert.match(
    await say(house, 'http_request', { method: 'POST', path: '/issues', body }),
    /HTTP 200/,
  )
  assert.deepEqual(seen.splice(0), [
    { line: 'GET /api/issues?q=a+b', body: '', type: undefined },
    { line: 'POST /api/issues', body, type: 'application/json' },
  ])
})

test('the HTTP server can send its token in another header', async () => {
  await using house = await open({ CORDON_HTTP_TOKEN: TOKEN, CORDON_HTTP_HEADER: 'X-Key' })
  assert.match(await say(house, 'http_get', { path: '/' }), /HTTP 200/)
})

test('the HTTP server never leaves its address, follows no redirect, and never shows its token', async () => {
  await using house = await open({ CORDON_HTTP_TOKEN: TOKEN })
  seen.length = 0
  const said: string[] = []
  for (const path of [
    '/../admin',
    '/%2e%2e/admin',
    '//evil.example/',
    '@evil.example/',
    'https://evil.example/',
  ]) {
    said.push(await say(house, 'http_get', { path }))
  }
  assert.ok(
    seen.every(({ line }) => line.startsWith('GET /api/')),
    JSON.stringify(seen),
  )
  said.push(await say(house, 'http_get', { path: '/away' }))
  assert.match(said.at(-1) ?? '', /HTTP 302.*location: https:\/\/evil\.example/)
  assert.ok(said.every((answer) => !answer.includes(TOKEN)))
})

test('a refusal of the site, a large answer and a picture are told as what they are', async () => {
  await using house = await open()
  assert.match(await say(house, 'http_get', { path: '/issues' }), /HTTP 401/)
  await using known = await open({ CORDON_HTTP_TOKEN: TOKEN })
  const large = await say(known, 'http_get', { path: '/large' })
  assert.match(large, /cut off after 1048576 bytes/)
  assert.match(await say(known, 'http_get', { path: '/picture' }), /not shown: image\/png/)
})
