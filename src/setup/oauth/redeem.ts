/** Redeems a refresh token once, with one of three outcomes. Stores nothing. */
import * as oauth from 'oauth4webapi'
import { parseSecretRef } from '../../kernel/secret-ref.ts'
import type { Grant, TokenSource } from './grant.ts'
import { clauseOf, SignInFailure } from './sign-in-failure.ts'
import type { StoredToken } from './stored-token.ts'
import {
  atServer,
  codeOf,
  type EndpointDeps,
  explained,
  grantOf,
  serverOf,
} from './token-endpoint.ts'

export type Redemption =
  | { readonly kind: 'granted'; readonly grant: Grant }
  /** The server permanently refuses this refresh token or this client. */
  | { readonly kind: 'refused'; readonly reason: string }
  /** The server gave no clear answer; the stored token is kept and may be tried again. */
  | { readonly kind: 'unavailable'; readonly reason: string }

/** Error codes after which a retry is pointless. `bad_refresh_token` is GitHub's. */
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
  deps: EndpointDeps,
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
      deps,
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

/** The endpoints and the client needed to renew or revoke a token; undefined if it was stored without them. */
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
  // A locked vault or a missing client secret is not the server's failure: the original error explains it.
  throw error
}

function refusalOf(code: string): string {
  const isToken = code === 'invalid_grant' || code === 'bad_refresh_token'
  return isToken ? 'the server does not accept it any more' : clauseOf(code)
}
