/** Signing in through the real egress: TLS, vetted addresses, an allow-list. */
import assert from 'node:assert/strict'
import type { RequestListener } from 'node:http'
import { test } from 'node:test'
import { createEgress } from '../../src/egress/create-egress.ts'
import { type Outside, openOutside } from '../../src/egress/test-outside.ts'
import type { AcquirePrompt } from '../../src/setup/connection/acquirer.ts'
import {
  lentToken,
  never,
  nobody,
  type OAuthDeps,
  openOAuthRooms,
  requestFor,
} from './oauth-rooms.ts'
import { DEVICE_METHOD } from './quirky-server.ts'

const method = {
  ...DEVICE_METHOD,
  deviceUrl: 'https://allowed.example/device',
  tokenUrl: 'https://allowed.example/token',
}
const json =
  (body: object): RequestListener =>
  (_request, response) =>
    void response.setHeader('content-type', 'application/json').end(JSON.stringify(body))

const DEVICE = {
  device_code: 'a',
  user_code: 'ABCD-EFGH',
  verification_uri: 'https://allowed.example/enter',
  expires_in: 600,
}

async function open(outside: Outside): Promise<OAuthDeps> {
  const egress = createEgress(outside.parts())
  return await openOAuthRooms({
    createFetch: (options) => egress.createFetch(options),
    sleep: async () => undefined,
  })
}

test('a token comes in over TLS, from the hosts that were named and no others', async () => {
  await using outside = await openOutside()
  await using rooms = await open(outside)
  outside.answer = (request, response) => {
    const answer =
      request.url === '/device' ? DEVICE : { access_token: 'over-tls', token_type: 'Bearer' }
    json(answer)(request, response)
  }
  const prompts: AcquirePrompt[] = []
  const ended = await rooms.acquire.start(requestFor(method), (it) => prompts.push(it), never)
  assert.equal(ended.kind, 'token')
  assert.equal(await lentToken(rooms), 'over-tls')
  assert.deepEqual([...new Set(outside.reached)], ['allowed.example'])
  assert.ok(!JSON.stringify([outside.events, outside.logged]).includes('over-tls'))
})

test('a provider that redirects elsewhere is not followed', async () => {
  await using outside = await openOutside()
  await using rooms = await open(outside)
  outside.answer = (_request, response) =>
    void response.writeHead(307, { location: 'https://evil.example/device' }).end()
  const ended = await rooms.acquire.start(requestFor(method), nobody, never)
  assert.equal(ended.kind, 'unavailable')
  assert.deepEqual([...new Set(outside.reached)], ['allowed.example'])
})

test('a remote server whose sign-in would be inside this network is not reached', async () => {
  await using outside = await openOutside()
  await using rooms = await open(outside)
  outside.names.set('other.example', ['10.0.0.1'])
  const metadata = {
    resource: 'https://allowed.example/mcp',
    authorization_servers: ['https://other.example'],
  }
  outside.answer = json(metadata)
  const request = requestFor({ kind: 'mcp', key: 'bearer' }, 'https://allowed.example/mcp')
  const ended = await rooms.acquire.start(request, nobody, never)
  assert.equal(ended.kind, 'unavailable')
  assert.match(
    ended.kind === 'unavailable' ? ended.reason : '',
    /^the server could not be reached \(Cannot .*"other\.example"/,
  )
  assert.ok(!outside.dialled.includes('10.0.0.1'))
})
