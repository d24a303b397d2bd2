/** Whose token it is, as the provider tells: shown to people, and believed by nobody. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { OAuthMethod } from '../../src/ports/service-facts.ts'
import { type OAuthServer, openOAuthServer } from '../fixtures/oauth-server.ts'
import { AS_METADATA, instead, json, MCP_METHOD, open, signIn } from './mcp-sign-in.ts'
import { never, type OAuthDeps, requestFor } from './oauth-rooms.ts'
import { ISSUER } from './places.ts'
import { CODE_METHOD } from './sign-in-for.ts'

async function accountOf(
  server: OAuthServer,
  rooms: OAuthDeps,
  method: OAuthMethod,
): Promise<string | undefined> {
  const { ended } = await signIn(server, rooms, (prompt) =>
    rooms.acquire.start(requestFor(method), prompt, never),
  )
  assert.ok(ended.kind === 'token', JSON.stringify(ended))
  return ended.account
}

/** A provider that sends no ID token. */
function withoutIdToken(server: OAuthServer): OAuthServer['createFetch'] {
  return (options) => {
    const fetch = server.createFetch(options)
    return async (input, init) => {
      const response = await fetch(input, init)
      if (init?.method !== 'POST' || !response.ok) return response
      const { id_token: _left, ...rest } = (await response.json()) as Record<string, unknown>
      return Response.json(rest, { status: response.status })
    }
  }
}

const IDENTITY = { url: `${ISSUER}/whoami`, field: 'user.login' }
const WITHOUT_ID_TOKEN = { ...CODE_METHOD, scopes: ['offline_access'] }

test('the ID token of a real provider names the account', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  assert.equal(await accountOf(server, rooms, CODE_METHOD), 'ann')
  assert.equal(await accountOf(server, rooms, WITHOUT_ID_TOKEN), undefined)
})

test('the userinfo endpoint is asked where the token is for it, and the catalog knows others', async () => {
  await using server = await openOAuthServer()
  const seen: (string | undefined)[] = []
  await using rooms = await open(server, { createFetch: withoutIdToken(server) })
  const fetch = server.createFetch({ allowedDomains: ['as.cordon.test'] })
  const metadata = (await (await fetch(ISSUER + AS_METADATA)).json()) as object
  const answers: Readonly<Record<string, object>> = {
    '/whoami': { user: { login: 'octocat' } },
    '/me': { sub: '1', email: 'ann@example.com' },
    [AS_METADATA]: { ...metadata, scopes_supported: ['openid'] },
    '/.well-known/oauth-protected-resource/mcp': {
      resource: 'https://mcp.cordon.test/mcp',
      authorization_servers: [ISSUER],
      scopes_supported: ['openid'],
    },
  }
  server.meddle = (request, response) => {
    const answer = answers[request.url ?? '']
    if (answer) json(answer)(request, response)
    if (/^\/(?:me|whoami)$/.test(request.url ?? '')) seen.push(request.headers.authorization)
    return answer !== undefined
  }
  const known = { ...WITHOUT_ID_TOKEN, identity: IDENTITY }
  assert.equal(await accountOf(server, rooms, known), 'octocat')
  assert.equal(await accountOf(server, rooms, MCP_METHOD), 'ann@example.com')
  assert.equal(seen.length, 2)
  for (const header of seen) assert.match(header ?? '', /^Bearer ./)
})

test('a name is one short line without a trick or a token in it, and no name fails no sign-in', async () => {
  await using server = await openOAuthServer()
  await using rooms = await open(server)
  const method = { ...WITHOUT_ID_TOKEN, identity: IDENTITY }
  for (const [login, account] of [
    ['a\nb\u001b[31m\u202ec', 'a b[31mc'],
    ['x'.repeat(5000), `${'x'.repeat(80)}…`],
    [`ghp_${'aB3'.repeat(12)}`, undefined],
    [{ name: 'x' }, undefined],
    ['  ', undefined],
  ] as const) {
    instead(server, 'as.cordon.test', '/whoami', json({ user: { login } }))
    assert.equal(await accountOf(server, rooms, method), account)
  }
  instead(server, 'as.cordon.test', '/whoami', json({ user: { login: 'ann' } }, 500))
  assert.equal(await accountOf(server, rooms, method), undefined)
  instead(server, 'as.cordon.test', '/whoami', (_request, response) => response.end('<html>'))
  assert.equal(await accountOf(server, rooms, method), undefined)
})
