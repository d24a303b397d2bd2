/**
 * Requests to one authorization server as one client: only the server's hosts can be reached, and the client secret is
 * leased only while the request runs.
 */
import * as oauth from 'oauth4webapi'
import type { Egress } from '../../ports/egress-port.ts'
import type { Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import { createCarefulFetch } from './careful-fetch.ts'
import type { Grant, OAuthClient, TokenSource } from './grant.ts'
import { failureOf, failureOfStatus, untrusted } from './sign-in-failure.ts'
import { createTolerantFetch } from './tolerant-fetch.ts'

export interface EndpointDeps {
  readonly createFetch: Egress['createFetch']
  readonly vault: Pick<Vault, 'lease'>
  readonly owner: PrincipalId
}

export interface EndpointCall {
  readonly server: oauth.AuthorizationServer
  readonly client: oauth.Client
  readonly auth: oauth.ClientAuth
  readonly options: { readonly [oauth.customFetch]: typeof globalThis.fetch }
}

export async function atServer<T>(
  deps: EndpointDeps,
  place: { readonly server: oauth.AuthorizationServer; readonly client: OAuthClient },
  work: (call: EndpointCall) => Promise<T>,
  signal: AbortSignal,
): Promise<T> {
  const { server, client } = place
  const refs = client.secretRef ? { secret: client.secretRef } : {}
  await using lease = await deps.vault.lease(deps.owner, refs, signal)
  const fetch = deps.createFetch({ allowedDomains: hostsOf(server) })
  const call: EndpointCall = {
    server,
    client: { client_id: client.clientId },
    auth: client.secretRef ? authOf(client, lease.value('secret').toString()) : oauth.None(),
    options: { [oauth.customFetch]: createTolerantFetch(createCarefulFetch(fetch, signal)) },
  }
  return await work(call)
}

/** The server metadata needed to renew or revoke a stored token. */
export function serverOf(source: TokenSource): oauth.AuthorizationServer {
  const { issuer, tokenEndpoint, revocationEndpoint } = source
  return {
    issuer,
    token_endpoint: tokenEndpoint,
    ...(revocationEndpoint !== undefined && { revocation_endpoint: revocationEndpoint }),
  }
}

export function grantOf(answer: oauth.TokenEndpointResponse): Grant {
  const { access_token, token_type, refresh_token, expires_in, scope, account } = answer
  // oauth4webapi accepts DPoP as well; sent as a bearer token it would be refused, or worse, accepted.
  if (token_type.toLowerCase() === 'dpop') {
    throw untrusted('the server gave a kind of token that Cordon cannot use (DPoP)')
  }
  const named = typeof account === 'string' ? { account } : {}
  return { access_token, token_type, refresh_token, expires_in, scope, ...named }
}

/** The OAuth error code of the answer; undefined if the answer has none, or if there was no answer. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof oauth.ResponseBodyError ? error.error : undefined
}

/** Turns an error about the server into a `SignInFailure`; other errors pass unchanged. */
export function explained(error: unknown): unknown {
  const code = codeOf(error)
  if (code !== undefined) return failureOf(code, error)
  const isNonsense =
    error instanceof oauth.OperationProcessingError ||
    error instanceof oauth.UnsupportedOperationError
  if (!isNonsense) return error
  // Without a cause: the original error holds the whole answer, including the token.
  return error.cause instanceof Response
    ? failureOfStatus(error.cause.status)
    : untrusted('the server gave an answer that cannot be trusted')
}

function authOf({ auth }: OAuthClient, secret: string): oauth.ClientAuth {
  return auth === 'client_secret_basic' ? basicAuth(secret) : oauth.ClientSecretPost(secret)
}

/**
 * RFC 6749, section 2.3.1. oauth4webapi also encodes `-`, `.` and `_`, which form encoding leaves as they are: servers
 * that do not decode would not recognise the client.
 */
function basicAuth(secret: string): oauth.ClientAuth {
  return (_server, client, _body, headers) => {
    const pair = `${formEncoded(client.client_id)}:${formEncoded(secret)}`
    headers.set('authorization', `Basic ${Buffer.from(pair).toString('base64')}`)
  }
}

function formEncoded(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

function hostsOf(server: oauth.AuthorizationServer): readonly string[] {
  const endpoints = [
    server.token_endpoint,
    server.device_authorization_endpoint,
    server.revocation_endpoint,
    server.registration_endpoint,
  ]
  const urls = endpoints.flatMap((endpoint) => URL.parse(endpoint ?? '') ?? [])
  return [...new Set(urls.map(({ hostname }) => hostname))]
}
