/** Tokens kept fresh at a real authorization server that rotates them: when, how often, and what survives a failure. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Freshness } from '../../src/setup/oauth/renewals.ts'
import { hashToken } from '../../src/setup/oauth/stored-token.ts'
import { type OAuthServer, openOAuthServer } from '../fixtures/oauth-server.ts'
import { lentToken, never, type OAuthDeps, openOAuthRooms, storedToken } from './oauth-rooms.ts'
import { openSignedIn, outcomes, redeemElsewhere } from './sign-in-for.ts'

const redeemed = (server: OAuthServer): number => server.granted.get('refresh_token') ?? 0

/** The hash of the token, which must be fresh. */
async function hashOf(freshness: Promise<Freshness>): Promise<string> {
  const fresh = await freshness
  assert.ok(fresh.kind === 'fresh', fresh.kind)
  return fresh.hash
}

async function currentHash(rooms: OAuthDeps): Promise<string> {
  return hashToken((await storedToken(rooms))['access_token'] ?? '')
}

test('a token is renewed a minute before it expires, and not before that', async () => {
  await using server = await openOAuthServer({ accessTokenTtl: 3600 })
  await using rooms = await openSignedIn(server)
  const before = await storedToken(rooms)
  const reads = (): number => rooms.events.filter(({ kind }) => kind === 'vault.lend').length
  rooms.clock.now += 3_538_000
  const hash = hashToken(before['access_token'] ?? '')
  assert.deepEqual(await hashOf(rooms.tokens.freshness('notes', never)), hash)
  const readBefore = reads()
  await rooms.tokens.freshness('notes', never)
  assert.equal(reads(), readBefore, 'the vault is not asked again while the answer is known')
  assert.equal(redeemed(server), 0)
  rooms.clock.now += 3000
  const renewed = await hashOf(rooms.tokens.freshness('notes', never))
  assert.equal(redeemed(server), 1)
  const after = await storedToken(rooms)
  assert.equal(renewed, hashToken(after['access_token'] ?? ''))
  assert.notEqual(after['access_token'], before['access_token'])
  assert.notEqual(after['refresh_token'], before['refresh_token'])
  assert.equal(await lentToken(rooms), after['access_token'])
  assert.equal(after['token_endpoint'], before['token_endpoint'])
})

test('a token that lives a hundred seconds is renewed ten before it expires', async () => {
  await using server = await openOAuthServer({ accessTokenTtl: 100 })
  await using rooms = await openSignedIn(server)
  rooms.clock.now += 88_000
  await rooms.tokens.freshness('notes', never)
  assert.equal(redeemed(server), 0)
  rooms.clock.now += 2500
  await rooms.tokens.freshness('notes', never)
  assert.equal(redeemed(server), 1)
})

test('after a 401 the token is renewed once, for however many calls were refused', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  rooms.clock.now += 60_000
  const used = await currentHash(rooms)
  const answers = await Promise.all(
    Array.from({ length: 12 }, () => hashOf(rooms.tokens.refreshAfter401('notes', used, never))),
  )
  const hash = await currentHash(rooms)
  assert.notEqual(hash, used)
  for (const answer of answers) assert.equal(answer, hash)
  assert.equal(await hashOf(rooms.tokens.refreshAfter401('notes', used, never)), hash)
  assert.equal(redeemed(server), 1)
})

test('a service that refuses a token that is brand-new does not set off another renewal', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  const answer = await rooms.tokens.refreshAfter401('notes', await currentHash(rooms), never)
  assert.equal(answer.kind, 'unavailable')
  assert.equal(redeemed(server), 0)
})

test('the new refresh token is on disk before anybody hears of the new access token', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  rooms.clock.now += 3_550_000
  const { hash } = (await rooms.tokens.freshness('notes', never)) as { hash: string }
  await using other = await openOAuthRooms({
    createFetch: server.createFetch,
    folder: rooms.folder,
  })
  assert.equal(await currentHash(other), hash)
})

test('a caller that leaves does not stop the renewal it set off', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  rooms.clock.now += 3_550_000
  const leave = new AbortController()
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: gate, resolve: open } = Promise.withResolvers<void>()
  server.meddle = (request, response) => {
    if (request.url !== '/token') return false
    const end = response.end.bind(response)
    response.end = ((...args: Parameters<typeof end>) => {
      reach()
      void gate.then(() => end(...args))
      return response
    }) as typeof end
    return false
  }
  const left = rooms.tokens.freshness('notes', leave.signal)
  await reached
  leave.abort()
  await assert.rejects(left, { name: 'AbortError' })
  const stayed = rooms.tokens.freshness('notes', never)
  open()
  assert.equal((await stayed).kind, 'fresh')
  assert.equal(redeemed(server), 1)
})

test('a server that keeps its refresh token keeps it here too', async () => {
  await using server = await openOAuthServer({ rotates: false })
  await using rooms = await openSignedIn(server)
  const before = await storedToken(rooms)
  for (let turn = 1; turn <= 2; turn += 1) {
    rooms.clock.now += 3_550_000
    assert.equal((await rooms.tokens.freshness('notes', never)).kind, 'fresh')
    assert.equal(redeemed(server), turn)
  }
  assert.equal((await storedToken(rooms))['refresh_token'], before['refresh_token'])
})

test('a token without a way to renew it needs its owner once it is refused or over', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openOAuthRooms({ createFetch: server.createFetch })
  await rooms.tokens.put('notes', { access_token: 'plain' }, never)
  assert.equal((await rooms.tokens.freshness('notes', never)).kind, 'fresh')
  const [status] = await rooms.tokens.status()
  assert.deepEqual(status, { name: 'notes', state: 'fresh' })
  const answer = await rooms.tokens.refreshAfter401('notes', hashToken('plain'), never)
  assert.equal(answer.kind, 'needs-authorization')
  assert.equal((await rooms.tokens.freshness('notes', never)).kind, 'needs-authorization')
  assert.equal(rooms.told.length, 1)
})

test('revoking ends the grant at the server, and then the token is gone here', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  const token = await storedToken(rooms)
  await rooms.tokens.revoke('notes', never)
  await assert.rejects(storedToken(rooms), { code: 'vault.missing' })
  await assert.rejects(rooms.tokens.freshness('notes', never), { code: 'vault.missing' })
  assert.equal(await redeemElsewhere(server, token['refresh_token']), 400)
  assert.deepEqual(outcomes(rooms), ['revoked'])
})

test('a token is redeemed before its time when its owner asks for it', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  const before = await currentHash(rooms)
  const status = await rooms.tokens.refresh('notes', never)
  assert.equal(status.state, 'fresh')
  assert.notEqual(await currentHash(rooms), before)
  assert.equal(redeemed(server), 1)
})

test('nothing that is said or written down about a token holds it', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  const old = await storedToken(rooms)
  rooms.clock.now += 3_550_000
  const fresh = await rooms.tokens.freshness('notes', never)
  const now = await storedToken(rooms)
  const said = JSON.stringify([fresh, await rooms.tokens.status(), rooms.events, server.asked])
  for (const token of [old, now]) {
    for (const field of ['access_token', 'refresh_token']) {
      assert.ok(!said.includes(token[field] ?? 'absent'), field)
    }
  }
})
