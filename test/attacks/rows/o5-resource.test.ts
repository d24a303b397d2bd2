/** A token goes only to the resource that it was issued for, whatever URL a request with that token names. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openOAuthServer } from '../../fixtures/oauth-server.ts'
import { OWNER } from '../../../src/kernel/principal.ts'
import { createRenewingFetch } from '../../../src/setup/oauth/renewing-fetch.ts'
import { open, signIn } from '../../oauth/mcp-sign-in.ts'
import { lentToken, never } from '../../oauth/oauth-rooms.ts'
test('O5: a token of ours goes to no other origin than the resource it was minted for', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  await signIn(server, rooms)
  await rooms.tokens.ensureFresh('notes', never)
  const token = await lentToken(rooms)
  const reached: string[] = []
  await using renewing = createRenewingFetch({
    tokens: rooms.tokens,
    vault: rooms.vault,
    owner: OWNER.id,
    onInsufficientScope: () => undefined,
  })
  const fetch = renewing.wrap(async (input) => {
    reached.push(input instanceof Request ? input.url : input.toString())
    return new Response()
  })
  const headers = { authorization: `Bearer ${token}` }
  await fetch('https://mcp.cordon.test/mcp', { headers })
  await fetch('https://evil.example/mcp', { headers }).catch(() => undefined)
  assert.deepEqual(reached, ['https://mcp.cordon.test/mcp'])
})
