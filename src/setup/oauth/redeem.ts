/** Redeems a refresh token, once. Whatever comes of it is one of three answers; nothing is stored here. */
import * as oauth from 'oauth4webapi'
import { parseSecretRef } from '../../kernel/secret-ref.ts'
import type { Grant, TokenSource } from './grant.ts'
import { clauseOf, SignInFailure } from './sign-in-failure.ts'
import type { StoredToken } from './stored-token.ts'
import {
  atServer,
  codeOf,
  type EndpointRooms,
  explained,
  grantOf,
  serverOf,
} from './token-endpoint.ts'

export type Redemption =
  | { readonly kind: 'granted'; readonly grant: Grant }
  /** The server will not take this refresh token or this client any more. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** Nobody can say whether it would; the token is as good as before. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Codes after which trying again is pointless. `bad_refresh_token` is GitHub's. */
const FINAL = new Set([
  'invalid_grant',
  'invalid_client',
  'unauthorized_client',
  'unsupported_grant_type',
  'invalid_scope',
  'invalid_target',
  'bad_refresh_token',
  'incorrect_client_credentials',
])

export async function redeem(
  rooms: EndpointRooms,
  token: StoredToken,
  signal: AbortSignal,
): Promise<Redemption> {
  const source = sourceOf(token)
  const refreshToken = token.refresh_token
  if (!source || refreshToken === undefined) {
    return { kind: 'refused', reason: 'it came without a way to renew it' }
  }
  const place = { server: serverOf(source), client: source.client }
  try {
    const grant = await atServer(
      rooms,
      place,
      async ({ server, client, auth, options }) => {
        const resource = source.resource && { additionalParameters: { resource: source.resource } }
        const all = { ...options, ...resource }
        const sent = await oauth.refreshTokenGrantRequest(server, client, auth, refreshToken, all)
        return grantOf(await oauth.processRefreshTokenResponse(server, client, sent))
      },
      signal,
    )
    return { kind: 'granted', grant }
  } catch (error) {
    return outcomeOf(error)
  }
}

/** Where a stored token can be renewed or given back; undefined for one that came from elsewhere. */
export function sourceOf(token: StoredToken): TokenSource | undefined {
  const { issuer, token_endpoint, client_id, client_secret, client_auth } = token
  if (token_endpoint === undefined || client_id === undefined) return undefined
  return {
    issuer: issuer ?? new URL(token_endpoint).origin,
    tokenEndpoint: token_endpoint,
    revocationEndpoint: token.revocation_endpoint,
    client: {
      clientId: client_id,
      auth: client_auth ?? 'none',
      ...(client_secret !== undefined && { secretRef: parseSecretRef(client_secret) }),
    },
    resource: token.resource,
  }
}

function outcomeOf(error: unknown): Redemption {
  const code = codeOf(error)
  if (code !== undefined && FINAL.has(code)) return { kind: 'refused', reason: refusalOf(code) }
  const clear = explained(error)
  if (clear instanceof SignInFailure) return { kind: 'unavailable', reason: clear.message }
  // A locked vault, or a client secret that is gone: not the server's doing, and said in full by whoever threw it.
  throw error
}

function refusalOf(code: string): string {
  const isToken = code === 'invalid_grant' || code === 'bad_refresh_token'
  return isToken ? 'the server does not accept it any more' : clauseOf(code)
}
