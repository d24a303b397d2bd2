/** A client id that the owner has to register: where it is kept, and with which server it is used. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { googleCalendar } from '../../src/catalog/known/google-calendar.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { createKeptClients } from '../../src/setup/oauth/kept-clients.ts'
import { openOAuthServer } from '../fixtures/oauth-server.ts'
import { AS_METADATA, json, METADATA, open, request, signIn } from './mcp-sign-in.ts'
import { never, nobody, type OAuthDeps, openOAuthRooms } from './oauth-rooms.ts'
import { ISSUER, MCP_URL } from './places.ts'

test('a server without registration names the client to ask for, which is then used with its issuer alone', async () => {
  await using server = await openOAuthServer({ registration: false })
  let rooms: OAuthDeps | undefined
  const clients = async (provider: string) =>
    rooms && (await createKeptClients(rooms.vault, OWNER.id, async () => undefined)(provider))
  await using opened = await open(server, { clients })
  rooms = opened
  const first = await opened.acquire.start(request, nobody, never)
  assert.ok(first.kind === 'unavailable' && first.client, JSON.stringify(first))
  const { provider, where, hasSecret } = first.client
  assert.match(provider, /^mcp\.cordon\.test\/[0-9a-f]{16}$/)
  assert.match(where, /at as\.cordon\.test, with http:\/\/127\.0\.0\.1\/oauth\/callback as/)
  assert.equal(hasSecret, false)
  await opened.vault.set(OWNER.id, `oauth-app/${provider}/id`, Buffer.from('cordon'))
  const { ended, page } = await signIn(server, opened)
  assert.equal(ended.kind, 'token')
  assert.equal(page?.searchParams.get('client_id'), 'cordon')

  const fetch = server.createFetch({ allowedDomains: ['as.cordon.test'] })
  const metadata = (await (await fetch(ISSUER + AS_METADATA)).json()) as object
  const issuer = `${ISSUER}/other`
  const answers: Readonly<Record<string, object>> = {
    [METADATA]: { resource: MCP_URL, authorization_servers: [issuer] },
    [`${AS_METADATA}/other`]: { ...metadata, issuer },
  }
  server.meddle = (asked, response) => {
    const answer = answers[asked.url ?? '']
    if (answer) json(answer)(asked, response)
    return answer !== undefined
  }
  const elsewhere = await opened.acquire.start(request, nobody, never)
  assert.ok(elsewhere.kind === 'unavailable' && elsewhere.client, JSON.stringify(elsewhere))
  assert.notEqual(elsewhere.client.provider, provider, 'another issuer is told nothing of it')
})

test('a known provider names the client to ask for if signing in is the usual way there', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server, { clients: async () => undefined })
  const method = {
    kind: 'code',
    provider: 'test',
    authorizeUrl: `${ISSUER}/auth`,
    tokenUrl: `${ISSUER}/token`,
    scopes: [],
    key: 'bearer',
  } as const
  const register = { where: 'Make one', hasSecret: true }
  const start = (one: typeof request.method) =>
    rooms.acquire.start({ ...request, method: one }, nobody, never)
  assert.partialDeepStrictEqual(await start({ ...method, register }), {
    kind: 'unavailable',
    isSetUp: false,
    client: { provider: 'test', ...register },
  })
  assert.ok(!('client' in (await start(method))))
})

test('Google is asked for a refresh token, and lets the owner choose the account', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server, { clients: async () => ({ clientId: 'cordon' }) })
  const over = new AbortController()
  const pages: URL[] = []
  const [method] = googleCalendar.oauth
  assert.ok(method)
  await rooms.acquire.start(
    { ...request, method },
    (prompt) => {
      pages.push(new URL(prompt.url))
      over.abort()
    },
    over.signal,
  )
  const asked = pages[0]?.searchParams
  assert.equal(asked?.get('access_type'), 'offline')
  assert.equal(asked?.get('prompt'), 'consent select_account')
  assert.equal(asked?.get('client_id'), 'cordon')
})

test('a client that was entered once is used from the vault, after one in the settings', async () => {
  await using rooms = await openOAuthRooms({ createFetch: () => fetch })
  const find = createKeptClients(rooms.vault, OWNER.id, async (provider) =>
    provider === 'written' ? { clientId: 'from-the-file' } : undefined,
  )
  assert.equal(await find('github'), undefined)
  for (const provider of ['github', 'written']) {
    await rooms.vault.set(OWNER.id, `oauth-app/${provider}/id`, Buffer.from('entered'))
  }
  assert.deepEqual(await find('github'), { clientId: 'entered' })
  assert.deepEqual(await find('written'), { clientId: 'from-the-file' })
  await rooms.vault.set(OWNER.id, 'oauth-app/github/secret', Buffer.from('hush'))
  const secretRef = { scheme: 'vault', name: 'oauth-app/github/secret' }
  assert.deepEqual(await find('github'), { clientId: 'entered', secretRef })
  assert.equal(await find('constructor'), undefined)
})
