/** Calls to remote servers whose tokens expire, are revoked, or lack a scope. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../../src/kernel/principal.ts'
import type { Fetch } from '../../src/setup/oauth/careful-fetch.ts'
import { createRenewingFetch } from '../../src/setup/oauth/renewing-fetch.ts'
import { openOAuthServer } from '../fixtures/oauth-server.ts'
import { lentToken, never, type OAuthDeps, storedToken } from './oauth-rooms.ts'
import { MCP_URL } from './places.ts'
import { openSignedIn, redeemElsewhere, signInFor } from './sign-in-for.ts'

interface Service extends AsyncDisposable {
  readonly fetch: Fetch
  /** The tokens that the service received, in order. */
  readonly seen: string[]
  /** Tokens that were reported to lack a scope, each with the scope. */
  readonly scopes: string[]
  answer: (token: string) => Response
}

/** A service that accepts some tokens and refuses others, called through the renewing fetch. */
function openService(rooms: OAuthDeps): Service {
  const scopes: string[] = []
  const seen: string[] = []
  const renewing = createRenewingFetch({
    tokens: rooms.tokens,
    vault: rooms.vault,
    owner: OWNER.id,
    onInsufficientScope: (name, scope) => scopes.push(`${name}: ${scope}`),
  })
  const service: Service = {
    seen,
    scopes,
    answer: () => new Response(),
    fetch: renewing.wrap(async (_input, init) => {
      const token = new Headers(init?.headers).get('authorization')?.slice('Bearer '.length) ?? ''
      seen.push(token)
      return service.answer(token)
    }),
    [Symbol.asyncDispose]: () => renewing[Symbol.asyncDispose](),
  }
  return service
}

const call = async (fetch: Fetch, token: string, body = '{}'): Promise<number> => {
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return (await fetch(MCP_URL, { method: 'POST', headers, body })).status
}

test('a session that began with an old token goes on with the newest', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  await rooms.tokens.ensureFresh('notes', never)
  const first = await lentToken(rooms)
  await using service = openService(rooms)
  assert.equal(await call(service.fetch, first), 200)
  rooms.clock.now += 3_550_000
  assert.equal(await call(service.fetch, first), 200)
  const second = await lentToken(rooms)
  assert.notEqual(second, first)
  const loans = (): number => rooms.events.filter(({ kind }) => kind === 'vault.lend').length
  const before = loans()
  assert.equal(await call(service.fetch, first), 200)
  assert.equal(loans(), before, 'the newest is lent once, not for each request')
  assert.deepEqual(service.seen, [first, second, second])
})

test('a call that was refused is sent again with a new token, for all calls at once', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  await rooms.tokens.ensureFresh('notes', never)
  const first = await lentToken(rooms)
  rooms.clock.now += 60_000
  await using service = openService(rooms)
  service.answer = (token) => new Response(null, { status: token === first ? 401 : 200 })
  const statuses = await Promise.all(Array.from({ length: 12 }, () => call(service.fetch, first)))
  assert.deepEqual(new Set(statuses), new Set([200]))
  assert.equal(server.granted.get('refresh_token'), 1)
  const second = await lentToken(rooms)
  assert.deepEqual(new Set(service.seen), new Set([first, second]))
  assert.equal(service.seen.length, 24)
})

test('a service that refuses every token is believed after one more try', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  await rooms.tokens.ensureFresh('notes', never)
  const first = await lentToken(rooms)
  rooms.clock.now += 60_000
  await using service = openService(rooms)
  service.answer = () => new Response(null, { status: 401 })
  assert.equal(await call(service.fetch, first), 401)
  assert.equal(await call(service.fetch, first), 401)
  assert.equal(service.seen.length, 3)
  assert.equal(server.granted.get('refresh_token'), 1)
})

test('a token that nobody but its owner can renew stops the call before it is sent', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  await rooms.tokens.ensureFresh('notes', never)
  const first = await lentToken(rooms)
  await redeemElsewhere(server, (await storedToken(rooms))['refresh_token'])
  rooms.clock.now += 3_700_000
  await using service = openService(rooms)
  await assert.rejects(call(service.fetch, first), { code: 'setup.needs-authorization' })
  assert.deepEqual(service.seen, [])
})

test('a service that wants more permissions is named, with what it wants', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  await rooms.tokens.ensureFresh('notes', never)
  const first = await lentToken(rooms)
  await using service = openService(rooms)
  const challenges = [
    'Bearer error="insufficient_scope", scope="read write"',
    'Bearer error="insufficient_scope", scope="\u00e9vil"',
    'Bearer error="access_denied", scope="all"',
  ]
  for (const challenge of challenges) {
    const headers = { 'www-authenticate': challenge }
    service.answer = () => new Response(null, { status: 403, headers })
    assert.equal(await call(service.fetch, first), 403)
  }
  assert.deepEqual(service.scopes, ['notes: read write'], 'what cannot be asked for is not told')
  assert.equal(await rooms.acquire.wantsMore('notes', []), true)
  const headers = { 'www-authenticate': challenges[0] ?? '' }
  service.answer = () => new Response(null, { status: 403, headers })
  await call(service.fetch, first)
  assert.equal(service.scopes.length, 1, 'it is told once')
})

test('a token that Cordon did not sign in for passes as it is', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  await using service = openService(rooms)
  service.answer = () => new Response(null, { status: 401 })
  assert.equal(await call(service.fetch, 'pasted'), 401)
  assert.equal((await service.fetch(MCP_URL)).status, 401)
  assert.deepEqual(service.seen, ['pasted', ''])
})

const callOf = (tool: string): string =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool } })

test('a call that lacks a scope fails with the way forward, and the next one before it is sent', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  await rooms.tokens.ensureFresh('notes', never)
  const first = await lentToken(rooms)
  await using service = openService(rooms)
  const headers = { 'www-authenticate': 'Bearer error="insufficient_scope", scope="write"' }
  service.answer = () => new Response(null, { status: 403, headers })
  const send = (tool: string): Promise<number> => call(service.fetch, first, callOf(tool))
  const refusal = { code: 'setup.scope', hint: /cordon connect notes/, message: /\(write\)/ }
  await assert.rejects(send('add'), refusal)
  await assert.rejects(send('add'), refusal)
  assert.equal(service.seen.length, 1, 'the second call was not sent')
  service.answer = () => new Response(null, { status: 200 })
  assert.equal(await send('list'), 200, 'another tool is')
  const wanted = async () => (await rooms.tokens.status())[0]?.wanted
  await rooms.tokens.refresh('notes', never)
  assert.deepEqual(await wanted(), { add: 'write' }, 'known for the next flow: no wider by renewal')
  assert.equal(await send('add'), 200, 'and the same tool with another token')
  await signInFor(server, rooms)
  assert.equal(await wanted(), undefined)
})

test('scopes that the owner wrote down and the token lacks are asked for at the next sign-in', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  assert.equal(await rooms.acquire.wantsMore('notes', ['openid']), false)
  assert.equal(await rooms.acquire.wantsMore('notes', ['openid', 'read']), true)
  assert.equal(await rooms.tokens.widerScope('notes'), 'openid offline_access read')
})
