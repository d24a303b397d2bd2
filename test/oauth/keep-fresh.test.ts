/** Tokens are renewed in the background while servers use them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { keepFresh } from '../../src/setup/oauth/keep-fresh.ts'
import { openOAuthServer } from '../fixtures/oauth-server.ts'
import { openOAuthRooms } from './oauth-rooms.ts'
import { signInFor } from './sign-in-for.ts'

test('a token in use is renewed before it expires, and whoever holds the old one hears of it', async () => {
  await using server = await openOAuthServer({ accessTokenTtl: 300 })
  await using rooms = await openOAuthRooms({ createFetch: server.createFetch })
  await signInFor(server, rooms)
  const stop = new AbortController()
  const start = rooms.clock.now
  const renewed: string[] = []
  const troubles: string[] = []
  await keepFresh(
    {
      tokens: rooms.tokens,
      names: async () => ['notes', 'absent'],
      onRenewed: (name) =>
        renewed.push(`${name} after ${Math.round((rooms.clock.now - start) / 1000)} s`),
      onTrouble: (name, error) => troubles.push(`${name} ${(error as { code: string }).code}`),
      now: () => rooms.clock.now,
      async sleep(ms) {
        rooms.clock.now += ms
        if (rooms.clock.now > start + 600_000) stop.abort()
      },
    },
    stop.signal,
  )
  assert.deepEqual(renewed, ['notes after 270 s', 'notes after 540 s'])
  assert.equal(server.granted.get('refresh_token'), 2)
  assert.equal(new Set(troubles).size, 1)
  assert.equal(troubles[0], 'absent vault.missing')
})
