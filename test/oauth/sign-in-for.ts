/** Signs in through the browser stand-in, so that a test has a token to work with. */
import assert from 'node:assert/strict'
import type { OAuthServer } from '../fixtures/oauth-server.ts'
import { ISSUER } from './places.ts'
import type { OAuthMethod } from '../../src/ports/service-facts.ts'
import { createBrowser } from './browser.ts'
import { never, type OAuthDeps, openOAuthRooms, requestFor } from './oauth-rooms.ts'

export const CODE_METHOD: Extract<OAuthMethod, { kind: 'code' }> = {
  kind: 'code',
  provider: 'test',
  authorizeUrl: `${ISSUER}/auth`,
  tokenUrl: `${ISSUER}/token`,
  revokeUrl: `${ISSUER}/token/revocation`,
  scopes: ['openid', 'offline_access'],
  key: 'TOKEN',
}

export async function signInFor(server: OAuthServer, { acquire }: OAuthDeps): Promise<void> {
  const browser = createBrowser(server.port)
  const ended = await acquire.start(
    requestFor(CODE_METHOD),
    (prompt) => void browser.open(prompt.url),
    never,
  )
  assert.equal(ended.kind, 'token')
}

/** OAuth rooms whose owner has signed in. */
export async function openSignedIn(server: OAuthServer): Promise<OAuthDeps> {
  const rooms = await openOAuthRooms({ createFetch: server.createFetch })
  await signInFor(server, rooms)
  return rooms
}

/** Redeems a stolen refresh token outside Cordon; returns the server's status. */
export async function redeemElsewhere(server: OAuthServer, refreshToken = ''): Promise<number> {
  const fetch = server.createFetch({ allowedDomains: ['as.cordon.test'] })
  const fields = { grant_type: 'refresh_token', client_id: 'cordon', refresh_token: refreshToken }
  const body = new URLSearchParams(fields)
  return (await fetch(`${ISSUER}/token`, { method: 'POST', body })).status
}

/** The outcome of each token revocation, from the audit events. */
export function outcomes({ events }: OAuthDeps): readonly unknown[] {
  const revoked = events.filter(({ kind }) => kind === 'setup.token-revoked')
  return revoked.map(({ details }) => details?.['outcome'])
}
