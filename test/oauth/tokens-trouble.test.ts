/** Tokens whose server is unreachable, revokes them, or does not know them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../../src/kernel/principal.ts'
import { openOAuthServer } from '../fixtures/oauth-server.ts'
import { never, openOAuthRooms, storedToken } from './oauth-rooms.ts'
import { openSignedIn, outcomes, redeemElsewhere, signInFor } from './sign-in-for.ts'

test('a refresh token that somebody else has used is refused, and the owner is told once', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  const stolen = await storedToken(rooms)
  rooms.clock.now += 3_550_000
  await rooms.tokens.freshness('notes', never)
  await redeemElsewhere(server, stolen['refresh_token'])
  rooms.clock.now += 3_550_000
  const reason = 'the server does not accept it any more'
  for (let turn = 0; turn < 3; turn += 1) {
    const answer = await rooms.tokens.freshness('notes', never)
    assert.deepEqual(answer, { kind: 'needs-authorization', usable: true, reason })
  }
  assert.deepEqual(rooms.told, [`notes: ${reason}`])
  assert.ok((await storedToken(rooms))['refresh_token'], 'nothing is destroyed')
  const [status] = await rooms.tokens.status()
  assert.equal(status?.state, 'needs-authorization')
  await rooms.tokens.ensureFresh('notes', never) // the access token has not expired yet
  rooms.clock.now += 60_000
  const refusal = { code: 'setup.needs-authorization', message: new RegExp(reason) }
  await assert.rejects(rooms.tokens.ensureFresh('notes', never), refusal)
  await assert.rejects(rooms.tokens.refresh('notes', never), refusal)
  await signInFor(server, rooms)
  assert.equal((await rooms.tokens.freshness('notes', never)).kind, 'fresh')
})

test('a server that is away costs nothing but time: the token stays, and the waits grow', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  const before = await storedToken(rooms)
  rooms.clock.now += 3_550_000
  server.meddle = (request, response) => {
    if (request.url !== '/token') return false
    response.writeHead(503).end('come back later')
    return true
  }
  const waits: number[] = []
  for (let turn = 0; turn < 4; turn += 1) {
    const answer = await rooms.tokens.freshness('notes', never)
    assert.ok(answer.kind === 'unavailable')
    assert.equal(
      answer.usable,
      turn < 4 && rooms.clock.now < Date.parse(before['expires_at'] ?? ''),
    )
    const asked = server.asked.length
    await rooms.tokens.freshness('notes', never)
    assert.equal(server.asked.length, asked, 'not asked before the time')
    waits.push(answer.retryAt - rooms.clock.now)
    rooms.clock.now = answer.retryAt
  }
  assert.deepEqual(waits, [1000, 2000, 4000, 8000])
  assert.deepEqual(await storedToken(rooms), before)
  server.meddle = () => false
  assert.equal((await rooms.tokens.freshness('notes', never)).kind, 'fresh')
  assert.deepEqual(rooms.told, [])
})

test('a token that cannot be given back is forgotten all the same, and the record says so', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  server.meddle = (_request, response) => {
    response.destroy()
    return true
  }
  await rooms.tokens.revoke('notes', never)
  assert.deepEqual(outcomes(rooms), ['forgotten'])
  await assert.rejects(storedToken(rooms), { code: 'vault.missing' })
})

test('a server that is away is named to whoever needs the token, once it has expired', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  server.meddle = (_request, response) => {
    response.destroy()
    return true
  }
  rooms.clock.now += 3_550_000
  await rooms.tokens.ensureFresh('notes', never)
  rooms.clock.now += 60_000
  await assert.rejects(rooms.tokens.ensureFresh('notes', never), {
    code: 'setup.token-unavailable',
    message: 'Cannot renew the token of "notes" now: the server could not be reached',
  })
})

test('a token for a sign-in that was cancelled is not stored', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openOAuthRooms({ createFetch: server.createFetch })
  const token = { access_token: 'late' }
  await assert.rejects(rooms.tokens.put('notes', token, AbortSignal.abort()), {
    name: 'AbortError',
  })
  assert.deepEqual(await rooms.tokens.status(), [])
})

test('a stored token that is not one is told apart from one that is missing', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openOAuthRooms({ createFetch: server.createFetch })
  await rooms.vault.set(OWNER.id, 'oauth/notes', Buffer.from('{"access_token":5}'))
  await assert.rejects(rooms.tokens.freshness('notes', never), { code: 'setup.token-damaged' })
  const [status] = await rooms.tokens.status()
  assert.equal(status?.state, 'needs-authorization')
  await rooms.tokens.revoke('notes', never)
  assert.deepEqual(await rooms.tokens.status(), [])
})

test('a life without end is as good as none, and the refresh token is not lost over it', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  const answer = { access_token: 'a', token_type: 'bearer', refresh_token: 'next' }
  server.meddle = (request, response) => {
    if (request.url !== '/token') return false
    response.writeHead(200, { 'content-type': 'application/json' })
    const text = JSON.stringify({ ...answer, expires_in: 1 })
    response.end(text.replace('"expires_in":1', '"expires_in":9223372036854775807'))
    return true
  }
  await rooms.tokens.refresh('notes', never)
  const token = await storedToken(rooms)
  assert.deepEqual([token['refresh_token'], token['expires_at']], ['next', undefined])
})

test('a token whose client secret is gone is forgotten all the same', async () => {
  await using server = await openOAuthServer()
  await using rooms = await openSignedIn(server)
  const token = { ...(await storedToken(rooms)), client_secret: 'vault:gone' }
  await rooms.vault.set(OWNER.id, 'oauth/notes', Buffer.from(JSON.stringify(token)))
  await rooms.tokens.revoke('notes', never)
  assert.deepEqual(outcomes(rooms), ['forgotten'])
  assert.equal(await rooms.vault.has(OWNER.id, 'oauth/notes'), false)
})
