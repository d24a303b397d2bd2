/** The response of a token endpoint, and its conversion into the stored form. */
import { type SecretRef, showSecretRef } from '../../kernel/secret-ref.ts'
import type { ClientAuth, StoredToken } from './stored-token.ts'

export interface Grant {
  readonly access_token: string
  readonly token_type: string
  readonly refresh_token?: string | undefined
  /** Seconds. */
  readonly expires_in?: number | undefined
  readonly scope?: string | undefined
  /** The name of the account in the ID token; untrusted, shown to people only. */
  readonly account?: string | undefined
}

/** Cordon's identity as a client of an authorization server. */
export interface OAuthClient {
  readonly clientId: string
  readonly secretRef?: SecretRef
  readonly auth: ClientAuth
}

/** The origin of a token: enough to renew and to revoke it. */
export interface TokenSource {
  readonly issuer: string
  readonly tokenEndpoint: string
  readonly revocationEndpoint?: string | undefined
  readonly client: OAuthClient
  readonly resource?: string | undefined
}

/** `asked` is the scope of the request: a server that grants all of it need not repeat it (RFC 6749 §5.1). */
export function tokenOf(
  grant: Grant,
  source: TokenSource,
  asked: string | undefined,
  now: number,
): StoredToken {
  const { client } = source
  return {
    ...grantFields(grant, now),
    scope: grant.scope ?? asked,
    issuer: source.issuer,
    token_endpoint: source.tokenEndpoint,
    revocation_endpoint: source.revocationEndpoint,
    client_id: client.clientId,
    client_secret: client.secretRef && showSecretRef(client.secretRef),
    client_auth: client.auth,
    resource: source.resource,
  }
}

/** The renewed token. A server that does not rotate the refresh token need not send it again. */
export function renewedToken(old: StoredToken, grant: Grant, now: number): StoredToken {
  const { needs_authorization: _settled, ...kept } = old
  return {
    ...kept,
    ...grantFields(grant, now),
    refresh_token: grant.refresh_token ?? old.refresh_token,
    scope: grant.scope ?? old.scope,
  }
}

function grantFields(grant: Grant, now: number): StoredToken {
  const { access_token, token_type, refresh_token, expires_in } = grant
  const expires_at =
    expires_in === undefined ? undefined : new Date(now + expires_in * 1000).toISOString()
  const obtained_at = new Date(now).toISOString()
  return { access_token, token_type, refresh_token, expires_at, obtained_at }
}
