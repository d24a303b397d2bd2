/** Signing in through a browser, at a real authorization server: what is checked, and what is not accepted. */
import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, before, test } from 'node:test'
import { OWNER } from '../../src/kernel/principal.ts'
import type { AcquirePrompt, Acquired } from '../../src/setup/connection/acquirer.ts'
import { CLIENT_SECRET, type OAuthServer, openOAuthServer } from '../fixtures/oauth-server.ts'
import { ISSUER } from './places.ts'
import { createBrowser } from './browser.ts'
import {
  lentToken,
  never,
  nobody,
  type OAuthDeps,
  type OAuthRoomsOptions,
  openOAuthRooms,
  requestFor,
  storedToken,
} from './oauth-rooms.ts'
import { CODE_METHOD } from './sign-in-for.ts'

let server: OAuthServer
before(async () => {
  server = await openOAuthServer()
})
after(() => server[Symbol.asyncDispose]())

interface Begun {
  readonly page: URL
  readonly ended: Promise<Acquired>
}

async function begin(rooms: OAuthDeps, signal: AbortSignal = never): Promise<Begun> {
  const { promise, resolve } = Promise.withResolvers<AcquirePrompt>()
  const ended = rooms.acquire.start(requestFor(CODE_METHOD), resolve, signal)
  const prompt = await promise
  assert.equal(prompt.kind, 'authorize')
  return { page: new URL(prompt.url), ended }
}

const open = (options: Partial<OAuthRoomsOptions> = {}): Promise<OAuthDeps> =>
  openOAuthRooms({ createFetch: server.createFetch, ...options })

test('a browser that comes back leaves a token in the vault, and nothing of it anywhere else', async () => {
  await using rooms = await open()
  const { page, ended } = await begin(rooms)
  assert.equal(page.searchParams.get('code_challenge_method'), 'S256')
  assert.match(
    page.searchParams.get('redirect_uri') ?? '',
    /^http:\/\/127\.0\.0\.1:\d+\/oauth\/callback$/,
  )
  const visit = await createBrowser(server.port).open(page.href)
  assert.equal(visit.status, 200)
  const ref = { scheme: 'oauth', name: 'notes' }
  assert.deepEqual(await ended, { kind: 'token', ref, account: 'ann' })
  const token = await storedToken(rooms)
  assert.equal(await lentToken(rooms), token['access_token'])
  assert.equal(token['issuer'], ISSUER)
  assert.equal(token['token_endpoint'], `${ISSUER}/token`)
  assert.equal(token['id_token'], undefined)
  const said = JSON.stringify([rooms.events, visit.text, page.href])
  for (const secret of ['access_token', 'refresh_token']) {
    assert.ok(!said.includes(token[secret] as string), secret)
  }
  const kinds = rooms.events.map(({ kind }) => kind)
  assert.ok(kinds.includes('setup.token-stored'))
})

test('the page that a browser sees at the end loads nothing and keeps the address to itself', async () => {
  await using rooms = await open()
  const { page, ended } = await begin(rooms)
  const { headers, text } = await createBrowser(server.port).open(page.href)
  await ended
  assert.match(
    headers.get('content-security-policy') ?? '',
    /^default-src 'none'; style-src 'sha256-/,
  )
  assert.equal(headers.get('referrer-policy'), 'no-referrer')
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.doesNotMatch(text, /<script|src=|href=|http/)
})

test('a client with a secret signs in with it, and only its reference is written down', async () => {
  await using rooms = await open({
    clients: async () => ({
      clientId: 'confidential',
      secretRef: { scheme: 'vault', name: 'client' },
    }),
  })
  await rooms.vault.set(OWNER.id, 'client', Buffer.from(CLIENT_SECRET))
  const { page, ended } = await begin(rooms)
  await createBrowser(server.port).open(page.href)
  assert.equal((await ended).kind, 'token')
  const token = await storedToken(rooms)
  assert.equal(token['client_secret'], 'vault:client')
  assert.ok(!JSON.stringify(token).includes(CLIENT_SECRET))
})

test('an answer with another state is nobody’s, and the right one is still taken afterwards', async () => {
  await using rooms = await open()
  const { page, ended } = await begin(rooms)
  const back = page.searchParams.get('redirect_uri')
  const state = page.searchParams.get('state') ?? ''
  for (const query of ['code=x&state=wrong', 'code=x', `code=x&state=${state}&state=wrong`]) {
    const answer = await fetch(`${back}?${query}`)
    assert.equal(answer.status, 400)
    await answer.text()
  }
  await createBrowser(server.port).open(page.href)
  assert.equal((await ended).kind, 'token')
})

test('only the one path of the one host is answered', async () => {
  await using rooms = await open()
  const cancel = new AbortController()
  const { page, ended } = await begin(rooms, cancel.signal)
  const back = new URL(page.searchParams.get('redirect_uri') ?? '')
  const query = `?code=x&state=${page.searchParams.get('state')}`
  assert.equal((await fetch(`${back.origin}/${query}`)).status, 404)
  assert.equal((await fetch(back.href + query, { method: 'POST' })).status, 404)
  assert.equal(await statusWithHost(back, query, 'evil.example'), 404)
  cancel.abort()
  assert.deepEqual(await ended, { kind: 'failed', reason: 'it was cancelled' })
})

test('an answer in the name of another issuer is refused before its code is used', async () => {
  await using rooms = await open()
  const { page, ended } = await begin(rooms)
  const query = `code=x&state=${page.searchParams.get('state')}&iss=https://evil.example`
  const before = server.asked.length
  await fetch(`${page.searchParams.get('redirect_uri')}?${query}`)
  assert.partialDeepStrictEqual(await ended, {
    kind: 'failed',
    reason: 'the answer came from another server than the one asked',
  })
  assert.equal(server.asked.length, before)
})

test('a person who says no ends the sign-in, with the reason', async () => {
  await using rooms = await open()
  const { page, ended } = await begin(rooms)
  const query = `error=access_denied&state=${page.searchParams.get('state')}&iss=${ISSUER}`
  await fetch(`${page.searchParams.get('redirect_uri')}?${query}`)
  assert.deepEqual(await ended, { kind: 'failed', reason: 'access was denied' })
  assert.equal(await rooms.vault.has(OWNER.id, 'oauth/notes'), false)
})

test('a code that was used before is refused by the server, and nothing is stored', async () => {
  await using rooms = await open()
  const first = await begin(rooms)
  const visit = await createBrowser(server.port).open(first.page.href)
  assert.equal((await first.ended).kind, 'token')
  const used = visit.url.searchParams.get('code')
  await using again = await open()
  const second = await begin(again)
  const query = `code=${used}&state=${second.page.searchParams.get('state')}&iss=${ISSUER}`
  await fetch(`${second.page.searchParams.get('redirect_uri')}?${query}`)
  const reason = 'the server did not accept the code'
  assert.deepEqual(await second.ended, { kind: 'failed', reason })
  assert.equal(await again.vault.has(OWNER.id, 'oauth/notes'), false)
})

test('an answer is taken once: the listener is gone when the sign-in is over', async () => {
  await using rooms = await open()
  const { page, ended } = await begin(rooms)
  const { url } = await createBrowser(server.port).open(page.href)
  await ended
  await assert.rejects(fetch(url))
  await assert.rejects(rooms.acquire.complete(url.href), { code: 'setup.callback' })
})

test('a callback can be handed over as text: pasted from another machine, or with a scheme of its own', async () => {
  const redirectUri = 'test.cordon:/oauth/callback'
  await using rooms = await open({ clients: async () => ({ clientId: 'cordon', redirectUri }) })
  const { page, ended } = await begin(rooms)
  const { url } = await createBrowser(server.port).open(page.href)
  assert.equal(url.protocol, 'test.cordon:')
  const elsewhere = url.href.replace('/oauth/', '/other/')
  await assert.rejects(rooms.acquire.complete(elsewhere), { code: 'setup.callback' })
  await rooms.acquire.complete(`  ${url.href}\n`)
  assert.equal((await ended).kind, 'token')
})

test('an error of complete() does not repeat the address', async () => {
  await using rooms = await open()
  for (const text of ['not an address', 'http://127.0.0.1:1/oauth/callback?code=hush&state=hush']) {
    await assert.rejects(
      rooms.acquire.complete(text),
      (error: Error) =>
        !/hush|not an address/.test(error.message.replace('it is not an address', '')),
    )
  }
})

test('a browser that never comes back is waited for only so long', async () => {
  await using rooms = await open({ timeoutMs: 30 })
  const { ended } = await begin(rooms)
  const reason = 'authorization timed out after 2 minutes'
  assert.deepEqual(await ended, { kind: 'failed', reason, isTimeout: true })
})

for (const authorizeUrl of [
  'javascript:alert(1)',
  'data:text/html,hello',
  'http://as.cordon.test/auth',
  'https://user:word@as.cordon.test/auth',
]) {
  test(`nobody is sent to ${authorizeUrl.split(':')[0]}: with a name or without TLS`, async () => {
    await using rooms = await open()
    const prompts: unknown[] = []
    const wanted = requestFor({ ...CODE_METHOD, authorizeUrl })
    const ended = await rooms.acquire.start(wanted, (prompt) => prompts.push(prompt), never)
    assert.equal(ended.kind, 'unavailable')
    assert.deepEqual(prompts, [])
  })
}

test('a token endpoint that redirects elsewhere gets no further', async () => {
  await using rooms = await open()
  server.meddle = (request, response) => {
    if (request.url !== '/token') return false
    response.writeHead(307, { location: 'https://evil.example/token' }).end()
    return true
  }
  try {
    const { page, ended } = await begin(rooms)
    await createBrowser(server.port).open(page.href)
    assert.equal((await ended).kind, 'failed')
    assert.ok(!server.asked.some((line) => line.includes('evil')))
  } finally {
    server.meddle = () => false
  }
})

test('an answer of endless length is cut off', async () => {
  await using rooms = await open()
  server.meddle = (request, response) => {
    if (request.url !== '/token') return false
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = (): void => void response.write(Buffer.alloc(65_536, 32), () => more())
    more()
    return true
  }
  try {
    const { page, ended } = await begin(rooms)
    await createBrowser(server.port).open(page.href)
    assert.match(JSON.stringify(await ended), /endless length/)
  } finally {
    server.meddle = () => false
  }
})

test('sign-in without a client id does not open a page', async () => {
  await using rooms = await open({ clients: async () => undefined })
  const ended = await rooms.acquire.start(requestFor(CODE_METHOD), nobody, never)
  assert.deepEqual(ended, {
    kind: 'unavailable',
    reason: 'no client id is set up under [oauth.test]',
    isSetUp: false,
  })
})

async function statusWithHost(back: URL, query: string, host: string): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  request(back.href + query, { headers: { host } }, (response) => {
    response.resume()
    resolve(response.statusCode)
  })
    .on('error', reject)
    .end()
  return await promise
}
