/** The state of a token, for `cordon auth status`. Never holds any part of the token. */
import type { TokenStatus } from '../../ports/setup-port.ts'
import { hasExpired, type StoredToken } from './stored-token.ts'

/** `token` is undefined if the stored value cannot be parsed. */
export function statusOf(name: string, token: StoredToken | undefined, now: number): TokenStatus {
  if (!token) return { name, state: 'needs-authorization' }
  const { issuer, scope, expires_at, wanted_by: wanted } = token
  return {
    name,
    state: stateOf(token, now),
    ...(issuer !== undefined && { issuer }),
    ...(scope !== undefined && { scope }),
    ...(wanted && { wanted }),
    ...(expires_at && { expiresAt: expires_at }),
  }
}

function stateOf(token: StoredToken, now: number): TokenStatus['state'] {
  if (token.needs_authorization) return 'needs-authorization'
  return hasExpired(token, now) ? 'expired' : 'fresh'
}
