/** Remote MCP servers and authorization servers that lie in their metadata and answers. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../../src/kernel/principal.ts'
import { openOAuthServer } from '../fixtures/oauth-server.ts'
import { AS_METADATA, instead, json, METADATA, open, request, signIn } from './mcp-sign-in.ts'
import { never, nobody } from './oauth-rooms.ts'
import { ISSUER, MCP_URL } from './places.ts'

const SERVER = {
  issuer: ISSUER,
  authorization_endpoint: `${ISSUER}/auth`,
  token_endpoint: `${ISSUER}/token`,
  registration_endpoint: `${ISSUER}/reg`,
  response_types_supported: ['code'],
  code_challenge_methods_supported: ['S256'],
}

const untrusted = 'the server describes its sign-in in a way that cannot be trusted'
const unsafe = 'the server points to a page that is not safe to open'
for (const [what, host, path, answer, reason] of [
  [
    'metadata about another server',
    'mcp.cordon.test',
    METADATA,
    json({ resource: 'https://evil.example/mcp', authorization_servers: [ISSUER] }),
    'the metadata of the server is about another server',
  ],
  [
    'metadata that names a sign-in without TLS',
    'mcp.cordon.test',
    METADATA,
    json({ resource: MCP_URL, authorization_servers: ['http://as.cordon.test'] }),
    unsafe,
  ],
  ['metadata that is no JSON', 'mcp.cordon.test', METADATA, json('hello'), untrusted],
  ['a metadata address that fails', 'mcp.cordon.test', METADATA, json({}, 500), untrusted],
  [
    'another issuer',
    'as.cordon.test',
    AS_METADATA,
    json({ ...SERVER, issuer: 'https://evil.example' }),
    'the sign-in server answers in the name of another issuer',
  ],
  [
    'a sign-in page that is a script',
    'as.cordon.test',
    AS_METADATA,
    json({ ...SERVER, authorization_endpoint: 'javascript:alert(1)' }),
    untrusted,
  ],
  [
    'a sign-in page without TLS',
    'as.cordon.test',
    AS_METADATA,
    json({ ...SERVER, authorization_endpoint: 'http://as.cordon.test/auth' }),
    unsafe,
  ],
  [
    'a token endpoint without TLS',
    'as.cordon.test',
    AS_METADATA,
    json({ ...SERVER, token_endpoint: 'http://as.cordon.test/token' }),
    unsafe,
  ],
  [
    'a sign-in without PKCE',
    'as.cordon.test',
    AS_METADATA,
    json({ ...SERVER, code_challenge_methods_supported: undefined }),
    'its sign-in does not protect the code (PKCE with S256)',
  ],
  [
    'a sign-in with plain PKCE only',
    'as.cordon.test',
    AS_METADATA,
    json({ ...SERVER, code_challenge_methods_supported: ['plain'] }),
    'its sign-in does not protect the code (PKCE with S256)',
  ],
  [
    'a registration that is refused',
    'as.cordon.test',
    '/reg',
    json({ error: 'invalid_redirect_uri' }, 400),
    'the server does not accept a way back to this machine',
  ],
] as const) {
  test(`nobody is sent anywhere by ${what}`, async () => {
    await using server = await openOAuthServer()
    await using rooms = await open(server)
    instead(server, host, path, answer)
    const ended = await rooms.acquire.start(request, nobody, never)
    assert.partialDeepStrictEqual(ended, { kind: 'unavailable', reason })
    assert.ok('next' in ended, 'and it says what to do')
    assert.deepEqual(await rooms.vault.list(OWNER.id), [])
  })
}

const POINTS_ELSEWHERE = 'Bearer resource_metadata="https://evil.example/metadata"'

test('a refusal that names metadata elsewhere is not believed; the server’s own is', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  instead(server, 'mcp.cordon.test', '/mcp', (_request, response) => {
    response.writeHead(401, { 'www-authenticate': POINTS_ELSEWHERE }).end()
  })
  assert.equal((await signIn(server, rooms)).ended.kind, 'token')
})

test('metadata elsewhere is not fetched: neither where the refusal nor where a redirect points', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  server.meddle = ({ url }, response) => {
    if (url === '/mcp') {
      response.writeHead(401, { 'www-authenticate': POINTS_ELSEWHERE }).end()
    } else if (url === METADATA) {
      response.writeHead(302, { location: 'https://evil.example/metadata' }).end()
    } else return false
    return true
  }
  const ended = await rooms.acquire.start(request, nobody, never)
  assert.equal(ended.kind, 'unavailable')
  assert.ok(server.asked.every((line) => !line.includes('evil')))
})

test('an issuer that announces itself in its answers must do so, and as itself', async () => {
  for (const iss of ['', '&iss=https://evil.example', `&iss=${ISSUER}/`]) {
    await using server = await openOAuthServer()
    await using rooms = await open(server)
    const ended = await rooms.acquire.start(
      request,
      (prompt) => {
        assert.equal(prompt.kind, 'authorize')
        const { searchParams } = new URL(prompt.url)
        const back = searchParams.get('redirect_uri')
        void fetch(`${back}?code=x&state=${searchParams.get('state')}${iss}`)
      },
      never,
    )
    assert.partialDeepStrictEqual(ended, {
      kind: 'failed',
      reason: 'the answer came from another server than the one asked',
    })
    assert.ok(!server.asked.includes('POST as.cordon.test/token'))
  }
})

test('endpoints that are no addresses and are not needed do no harm', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  const metadata = { ...SERVER, device_authorization_endpoint: 'nonsense' }
  instead(server, 'as.cordon.test', AS_METADATA, json(metadata))
  assert.equal((await signIn(server, rooms)).ended.kind, 'token')
})

for (const [what, host] of [
  ['a number', '169.254.169.254'],
  ['a number in disguise', '0xA9FEA9FE'],
] as const) {
  test(`a token endpoint whose host is ${what} is told as unsafe, and never asked`, async () => {
    await using server = await openOAuthServer()
    await using rooms = await open(server)
    const metadata = { ...SERVER, token_endpoint: `https://${host}/token` }
    instead(server, 'as.cordon.test', AS_METADATA, json(metadata))
    assert.partialDeepStrictEqual(await rooms.acquire.start(request, nobody, never), {
      kind: 'unavailable',
      reason: 'the server points to a page that is not safe to open',
    })
    const optional = { ...SERVER, revocation_endpoint: `https://${host}/revoke` }
    instead(server, 'as.cordon.test', AS_METADATA, json(optional))
    assert.equal((await signIn(server, rooms)).ended.kind, 'token', 'one that is not needed')
  })
}

test('a token that needs a proof of possession is not taken as a bearer token', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  const answer = { access_token: 'bound', token_type: 'DPoP', expires_in: 60 }
  instead(server, 'as.cordon.test', '/token', json(answer))
  const { ended } = await signIn(server, rooms)
  assert.partialDeepStrictEqual(ended, {
    kind: 'failed',
    reason: 'the server gave a kind of token that Cordon cannot use (DPoP)',
  })
})

test('a sign-in server that is down is told as such', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  instead(server, 'as.cordon.test', '/token', json({ oops: true }, 503))
  const reason = 'the server is out of order (HTTP 503)'
  assert.partialDeepStrictEqual((await signIn(server, rooms)).ended, { kind: 'failed', reason })
})

test('the first of several sign-in servers that can be used is used, and a slash more is the same server', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  const about = {
    resource: `${MCP_URL}/`,
    authorization_servers: ['http://plain.cordon.test', ISSUER],
    scopes_supported: ['read'],
  }
  instead(server, 'mcp.cordon.test', METADATA, json(about))
  const prompted = Promise.withResolvers<string>()
  const ended = rooms.acquire.start(request, (prompt) => prompted.resolve(prompt.url), never)
  const page = new URL(await prompted.promise)
  assert.equal(page.origin, ISSUER)
  assert.equal(page.searchParams.get('resource'), `${MCP_URL}/`)
  await fetch(
    `${page.searchParams.get('redirect_uri')}?error=access_denied&state=${page.searchParams.get('state')}&iss=${ISSUER}`,
  )
  assert.equal((await ended).kind, 'failed')
})
