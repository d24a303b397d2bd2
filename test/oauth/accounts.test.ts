/** Two accounts of one service, signed in at one provider: tokens of their own, and one outlives the other. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../../src/kernel/principal.ts'
import { CLIENT_SECRET, type OAuthServer, openOAuthServer } from '../fixtures/oauth-server.ts'
import { instead, json, open, request, signIn } from './mcp-sign-in.ts'
import { lentToken, never, type OAuthDeps, storedToken } from './oauth-rooms.ts'

const NAMES = ['notes', 'notes-work'] as const

async function signInTwice(server: OAuthServer, rooms: OAuthDeps): Promise<void> {
  for (const name of NAMES) {
    const { ended } = await signIn(server, rooms, (prompt) =>
      rooms.acquire.start({ ...request, name }, prompt, never),
    )
    assert.deepEqual(ended, { kind: 'token', ref: { scheme: 'oauth', name } })
  }
}

test('each account has a token of its own, renewed and given back by itself', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  await signInTwice(server, rooms)
  const [first, second] = [await lentToken(rooms, 'notes'), await lentToken(rooms, 'notes-work')]
  assert.notEqual(first, second)
  await rooms.tokens.refresh('notes-work', never)
  assert.equal(await lentToken(rooms, 'notes'), first)
  await rooms.tokens.revoke('notes-work', never)
  assert.deepEqual(
    (await rooms.tokens.status()).map(({ name, state }) => [name, state]),
    [['notes', 'fresh']],
  )
  assert.equal((await rooms.tokens.refresh('notes', never)).state, 'fresh')
})

test('a provider that has one client for both keeps the account that stays, secret and all', async () => {
  await using server = await openOAuthServer()
  const answer = { client_id: 'confidential', client_secret: CLIENT_SECRET }
  const auth = { token_endpoint_auth_method: 'client_secret_post' }
  instead(server, 'as.cordon.test', '/reg', json({ ...answer, ...auth }, 201))
  await using rooms = await open(server)
  await signInTwice(server, rooms)
  const secrets = await Promise.all(
    NAMES.map(async (name) => (await storedToken(rooms, name))['client_secret']),
  )
  await rooms.tokens.revoke('notes', never)
  assert.equal((await rooms.tokens.refresh('notes-work', never)).state, 'fresh')
  const held = (await rooms.vault.list(OWNER.id)).map(({ name }) => `vault:${name}`)
  assert.deepEqual(
    secrets.map((ref) => held.includes(ref ?? '')),
    [false, true],
  )
})
