/** Signing in to a remote MCP server, whose authorization server and endpoints are discovered from metadata. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../../src/kernel/principal.ts'
import { CLIENT_SECRET, type OAuthServer, openOAuthServer } from '../fixtures/oauth-server.ts'
import type { AcquireParts, ConfiguredClient } from '../../src/setup/oauth/create-acquire.ts'
import { createBrowser } from './browser.ts'
import {
  AS_METADATA,
  instead,
  json,
  MCP_METHOD,
  METADATA,
  open,
  request,
  signIn,
} from './mcp-sign-in.ts'
import { never, type OAuthDeps, requestFor, storedToken } from './oauth-rooms.ts'
import { CLIENT_DOCUMENT, ISSUER, MCP_URL } from './places.ts'

test('a server that only says 401 is signed in to: metadata, registration, PKCE, resource, issuer', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  const { ended, page } = await signIn(server, rooms)
  assert.deepEqual(ended, { kind: 'token', ref: { scheme: 'oauth', name: 'notes' } })
  assert.equal(page?.searchParams.get('resource'), MCP_URL)
  assert.equal(page?.searchParams.get('scope'), 'read offline_access')
  assert.equal(page?.searchParams.get('code_challenge_method'), 'S256')
  const token = await storedToken(rooms)
  assert.equal(token['issuer'], ISSUER)
  assert.equal(token['resource'], MCP_URL)
  assert.equal(token['client_id'], page?.searchParams.get('client_id'))
  assert.equal(token['revocation_endpoint'], `${ISSUER}/token/revocation`)
  assert.deepEqual(server.asked.slice(0, 4), [
    'POST mcp.cordon.test/mcp',
    `GET mcp.cordon.test${METADATA}`,
    `GET as.cordon.test${AS_METADATA}`,
    'POST as.cordon.test/reg',
  ])
  assert.ok(rooms.events.some(({ kind }) => kind === 'setup.client-registered'))
})

test('every token that is asked for is asked for this one server, renewed ones too', async () => {
  await using server = await openOAuthServer()
  const bodies: URLSearchParams[] = []
  const createFetch: OAuthServer['createFetch'] = (options) => {
    const fetch = server.createFetch(options)
    return async (input, init) => {
      if (init?.body instanceof URLSearchParams) bodies.push(init.body)
      return await fetch(input, init)
    }
  }
  await using rooms = await open(server, { createFetch })
  await signIn(server, rooms)
  await rooms.tokens.refresh('notes', never)
  assert.deepEqual(
    bodies.map((body) => [body.get('grant_type'), body.get('resource')]),
    [
      ['authorization_code', MCP_URL],
      ['refresh_token', MCP_URL],
    ],
  )
})

test('a server that reads documents gets ours, and nothing is registered', async () => {
  await using server = await openOAuthServer({ documents: true })
  await using rooms = await open(server, { settings: hosting })
  const { ended, page } = await signIn(server, rooms)
  assert.equal(ended.kind, 'token')
  assert.equal(page?.searchParams.get('client_id'), CLIENT_DOCUMENT)
  assert.ok(!server.asked.includes('POST as.cordon.test/reg'))
})

for (const [what, answer, status] of [
  [
    'with a secret that has no end',
    { client_id: 'confidential', client_secret: CLIENT_SECRET },
    201,
  ],
  ['with another status than 201', { client_id: 'cordon' }, 200],
] as const) {
  test(`a registration that is answered ${what} is a registration`, async () => {
    await using server = await openOAuthServer()
    const isPost = 'client_secret' in answer && { token_endpoint_auth_method: 'client_secret_post' }
    instead(server, 'as.cordon.test', '/reg', json({ ...answer, ...isPost }, status))
    await using rooms = await open(server)
    assert.equal((await signIn(server, rooms)).ended.kind, 'token')
    assert.equal((await storedToken(rooms))['client_id'], answer.client_id)
  })
}

test('a registration that is answered with no client is refused', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  for (const answer of [{}, [], 'no', { client_id: 1 }, { client_id: '' }]) {
    instead(server, 'as.cordon.test', '/reg', json(answer, 201))
    assert.partialDeepStrictEqual((await signIn(server, rooms)).ended, {
      kind: 'unavailable',
      reason: 'the server gave an answer that cannot be trusted',
    })
  }
})

for (const [methods, clientId] of [
  [['client_secret_basic'], 'basic'],
  [['client_secret_basic', 'client_secret_post'], 'confidential'],
  [undefined, 'confidential'],
] as const) {
  const listed = methods?.join(' and ') ?? 'no way'
  test(`the client of the owner sends its secret to a server that lists ${listed}`, async () => {
    await using server = await openOAuthServer({ registration: false })
    const endpoints = await server.createFetch({ allowedDomains: ['as.cordon.test'] })(
      ISSUER + AS_METADATA,
    )
    const about = { token_endpoint_auth_methods_supported: methods }
    const metadata = { ...((await endpoints.json()) as object), ...about }
    instead(server, 'as.cordon.test', AS_METADATA, json(metadata))
    const secretRef = { scheme: 'vault', name: 'own' } as const
    const clients = settingsOf('mcp.cordon.test', { clientId, issuer: ISSUER, secretRef })
    await using rooms = await open(server, { clients })
    await rooms.vault.set(OWNER.id, secretRef.name, Buffer.from(CLIENT_SECRET))
    assert.equal((await signIn(server, rooms)).ended.kind, 'token')
  })
}

const hosting = async () => ({ clientDocument: CLIENT_DOCUMENT })
const OWN = { clientId: 'cordon', issuer: ISSUER }
/** The owner's client settings, for one host. */
const settingsOf =
  (host: string, client: ConfiguredClient = OWN): AcquireParts['clients'] =>
  async (provider) =>
    provider === host ? client : undefined

test('a server that neither reads documents nor registers needs a client of the owner’s', async () => {
  await using server = await openOAuthServer({ registration: false })
  {
    await using rooms = await open(server, { settings: hosting })
    assert.partialDeepStrictEqual((await signIn(server, rooms)).ended, {
      kind: 'unavailable',
      reason: 'its sign-in server knows no client id for Cordon',
      next: 'Register a client at the provider and name it under `[oauth."HOST"]` in config.toml',
    })
  }
  await using rooms = await open(server, { clients: settingsOf('mcp.cordon.test') })
  const { ended, page } = await signIn(server, rooms)
  assert.equal(ended.kind, 'token')
  assert.equal(page?.searchParams.get('client_id'), 'cordon')
})

test('the client of the owner comes first, with its own way back', async () => {
  await using server = await openOAuthServer({ documents: true })
  const redirectUri = 'test.cordon:/oauth/callback'
  await using rooms = await open(server, {
    settings: hosting,
    clients: settingsOf('mcp.cordon.test', { ...OWN, redirectUri }),
  })
  const prompted = Promise.withResolvers<URL>()
  const ended = rooms.acquire.start(
    request,
    (prompt) => prompted.resolve(new URL(prompt.url)),
    never,
  )
  const page = await prompted.promise
  assert.equal(page.searchParams.get('client_id'), 'cordon')
  assert.equal(page.searchParams.get('redirect_uri'), redirectUri)
  const { url } = await createBrowser(server.port).open(page.href)
  await rooms.acquire.complete(url.href)
  assert.equal((await ended).kind, 'token')
  assert.ok(!server.asked.includes('POST as.cordon.test/reg'))
})

test('the client of the owner is for the server it was set up for, and for one issuer', async () => {
  await using server = await openOAuthServer({ registration: false })
  const attempts = [
    // The settings belong to another host, whose issuer this server names.
    [settingsOf('as.cordon.test'), 'its sign-in server knows no client id for Cordon'],
    [
      settingsOf('mcp.cordon.test', { ...OWN, issuer: 'https://as.cordon.test/other' }),
      'it names another sign-in server than your settings do',
    ],
    [
      settingsOf('mcp.cordon.test', { clientId: 'cordon' }),
      'it names another sign-in server than your settings do',
    ],
  ] as const
  for (const [clients, reason] of attempts) {
    await using rooms = await open(server, { clients })
    const { ended } = await signIn(server, rooms)
    assert.partialDeepStrictEqual(ended, { kind: 'unavailable', reason })
  }
})

test('a secret that comes with a registration goes to the vault, and goes when the sign-in fails', async () => {
  await using server = await openOAuthServer()
  const answer = {
    client_id: 'confidential',
    client_secret: CLIENT_SECRET,
    client_secret_expires_at: 0,
    token_endpoint_auth_method: 'client_secret_post',
  }
  instead(server, 'as.cordon.test', '/reg', json(answer, 201))
  const secretsOf = async ({ vault }: OAuthDeps): Promise<readonly string[]> =>
    (await vault.list(OWNER.id)).map(({ name }) => name).filter((name) => name !== 'oauth/notes')
  {
    await using rooms = await open(server)
    assert.equal((await signIn(server, rooms)).ended.kind, 'token')
    const [name] = await secretsOf(rooms)
    assert.match(name ?? '', /^oauth-client\/[0-9a-f-]{36}$/)
    assert.equal((await storedToken(rooms))['client_secret'], `vault:${name}`)
    await rooms.tokens.revoke('notes', never)
    assert.deepEqual(await rooms.vault.list(OWNER.id), [])
  }
  await using rooms = await open(server, { timeoutMs: 20 })
  const ended = await rooms.acquire.start(request, () => undefined, never)
  assert.equal(ended.kind, 'failed')
  assert.deepEqual(await secretsOf(rooms), [])
})

test('a server older than the metadata is its own authorization server', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  const old = requestFor(MCP_METHOD, `${ISSUER}/mcp`)
  server.meddle = ({ url }, response) => {
    if (url === '/mcp') {
      response.writeHead(401, { 'www-authenticate': 'Bearer scope="read"' }).end()
    } else if (url?.startsWith('/.well-known/oauth-protected-resource')) {
      response.writeHead(404).end()
    } else return false
    return true
  }
  const { ended } = await signIn(server, rooms, (prompt) => rooms.acquire.start(old, prompt, never))
  assert.equal(ended.kind, 'token')
})

test('a server that asks for more later is signed in to again, and what was granted is kept', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  await signIn(server, rooms)
  assert.equal(await rooms.acquire.wantsMore('notes', []), false)
  assert.equal(await rooms.tokens.wantMore('notes', { scope: 'write' }, never), true)
  assert.equal(
    await rooms.tokens.wantMore('notes', { scope: 'read write' }, never),
    false,
    'known already',
  )
  assert.equal(await rooms.acquire.wantsMore('notes', []), true)
  await rooms.tokens.refresh('notes', never)
  assert.equal(await rooms.acquire.wantsMore('notes', []), true, 'a renewed token is no wider')
  const { ended, page } = await signIn(server, rooms)
  assert.equal(ended.kind, 'token')
  assert.equal(page?.searchParams.get('scope'), 'read offline_access write')
  assert.match((await storedToken(rooms))['scope'] ?? '', /write/)
  assert.equal(await rooms.acquire.wantsMore('notes', []), false)
  assert.equal(await rooms.acquire.wantsMore('nobody', []), false)
})

test('the secret of an older registration goes when somebody signs in again', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  let registrations = 0
  instead(server, 'as.cordon.test', '/reg', (asked, response) => {
    registrations += 1
    const answer = {
      client_id: 'confidential',
      client_secret: CLIENT_SECRET,
      client_secret_expires_at: 0,
      token_endpoint_auth_method: 'client_secret_post',
    }
    json(answer, 201)(asked, response)
  })
  await signIn(server, rooms)
  const { client_secret: older } = await storedToken(rooms)
  await signIn(server, rooms)
  assert.equal(registrations, 2)
  const names = (await rooms.vault.list(OWNER.id)).map(({ name }) => name)
  assert.ok(!names.some((name) => `vault:${name}` === older))
  assert.equal(names.length, 2, 'the token and the secret it is renewed with')
})
