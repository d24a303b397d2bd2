/**
 * Finds the authorization server of a remote MCP server, as the MCP authorization spec of 2026-07-28 prescribes: the
 * server names its metadata (RFC 9728), the metadata names an authorization server, which describes itself (RFC 8414,
 * OpenID Connect Discovery). Each document is checked against the previous one: the metadata must be about this server,
 * the description must be by this issuer.
 */
import type * as Client from '@modelcontextprotocol/client'
import type * as oauth from 'oauth4webapi'
import type { Egress } from '../../ports/egress-port.ts'
import { createCarefulFetch, type Fetch } from './careful-fetch.ts'
import { SignInFailure, untrusted } from './sign-in-failure.ts'
import { parseWebPage } from './web-page.ts'

/** The SDK is loaded only when the owner signs in to a remote server. */
type Sdk = typeof Client

export interface McpAuthorization {
  readonly server: oauth.AuthorizationServer
  /** Sent with every token request, so that the token is valid for this server only (RFC 8707). */
  readonly resource: string
  /** The scope that the server asks for; empty if it names none. */
  readonly scope: string
}

const VERSION = '2026-07-28'
const MOST_ISSUERS = 5

export async function discoverMcpAuthorization(
  createFetch: Egress['createFetch'],
  serverUrl: string,
  signal: AbortSignal,
): Promise<McpAuthorization> {
  const sdk = await import('@modelcontextprotocol/client')
  const url = parseWebPage(serverUrl)
  const reach = ({ hostname }: URL): Fetch =>
    createCarefulFetch(createFetch({ allowedDomains: [hostname] }), signal)
  try {
    const { issuers, resource, scope } = await askServer(sdk, url, reach(url))
    const server = await firstServer(sdk, issuers, reach)
    return { server, resource, scope: withOfflineAccess(scope, server) }
  } catch (error) {
    signal.throwIfAborted()
    throw explain(error, sdk)
  }
}

/** The first of the named servers that can be used; if there is none, the reason of the first (RFC 9728, section 2). */
async function firstServer(
  sdk: Sdk,
  issuers: readonly string[],
  reach: (url: URL) => Fetch,
): Promise<oauth.AuthorizationServer> {
  let first: unknown
  for (const issuer of issuers.slice(0, MOST_ISSUERS)) {
    try {
      const options = { fetchFn: reach(parseWebPage(issuer)), protocolVersion: VERSION }
      const found = await sdk.discoverAuthorizationServerMetadata(issuer, options)
      return checkServer(found as oauth.AuthorizationServer | undefined)
    } catch (error) {
      first ??= error
    }
  }
  throw first
}

interface Hints {
  readonly issuers: readonly string[]
  readonly resource: string
  readonly scope: string
}

/** Reads the server's own hints. A server older than RFC 9728 is its own authorization server. */
async function askServer(sdk: Sdk, url: URL, fetch: Fetch): Promise<Hints> {
  const { resourceMetadataUrl: named, scope = '' } = await challengeOf(sdk, url, fetch)
  const place = named?.origin === url.origin ? { resourceMetadataUrl: named } : {}
  const metadata = await readMetadata(sdk, url, { ...place, protocolVersion: VERSION }, fetch)
  const resource = resourceOf(url)
  if (!metadata) return { issuers: [url.origin], resource, scope }
  const about = {
    requestedResource: alike(resource, metadata),
    configuredResource: metadata.resource,
  }
  if (!sdk.checkResourceAllowed(about)) {
    throw untrusted('the metadata of the server is about another server')
  }
  return {
    issuers: metadata.authorization_servers?.length ? metadata.authorization_servers : [url.origin],
    resource: metadata.resource,
    scope: scope || (metadata.scopes_supported ?? []).join(' '),
  }
}

/** `…/mcp` and `…/mcp/` are one server. */
function alike(resource: string, metadata: Client.OAuthProtectedResourceMetadata): string {
  return `${resource}/` === metadata.resource ? metadata.resource : resource
}

/** The WWW-Authenticate challenge of the server to a request without a token. */
async function challengeOf(
  sdk: Sdk,
  url: URL,
  fetch: Fetch,
): Promise<ReturnType<Sdk['extractWWWAuthenticateParams']>> {
  const refusal = await fetch(url, {
    method: 'POST',
    headers: {
      accept: 'application/json, text/event-stream',
      'content-type': 'application/json',
      'mcp-protocol-version': VERSION,
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 0, method: 'ping' }),
  })
  return sdk.extractWWWAuthenticateParams(refusal)
}

/** Undefined if every location answers 404; any other failure is an error, not a sign of an older server. */
async function readMetadata(
  sdk: Sdk,
  url: URL,
  options: Parameters<Sdk['discoverOAuthProtectedResourceMetadata']>[1],
  fetch: Fetch,
): Promise<Client.OAuthProtectedResourceMetadata | undefined> {
  const statuses: number[] = []
  const counting: Fetch = async (input, init) => {
    const response = await fetch(input, init)
    statuses.push(response.status)
    return response
  }
  try {
    return await sdk.discoverOAuthProtectedResourceMetadata(url, options, counting)
  } catch (error) {
    if (statuses.length > 0 && statuses.every((status) => status === 404)) return undefined
    throw error
  }
}

/** PKCE with S256 must be announced: without it a stolen authorization code could be redeemed. */
function checkServer(server: oauth.AuthorizationServer | undefined): oauth.AuthorizationServer {
  if (!server) {
    throw new SignInFailure('the server does not say where to sign in')
  }
  if (!server.code_challenge_methods_supported?.includes('S256')) {
    throw untrusted('its sign-in does not protect the code (PKCE with S256)')
  }
  for (const page of [server.authorization_endpoint, server.token_endpoint])
    parseWebPage(page ?? '')
  return withoutUnsafe(server)
}

const OPTIONAL: ReadonlySet<string> = new Set([
  'registration_endpoint',
  'revocation_endpoint',
  'device_authorization_endpoint',
  'userinfo_endpoint',
])

/** An endpoint that is not needed and cannot be asked counts as absent. */
function withoutUnsafe(server: oauth.AuthorizationServer): oauth.AuthorizationServer {
  const isKept = ([name, value]: [string, unknown]): boolean =>
    !OPTIONAL.has(name) || isWebPage(value)
  return Object.fromEntries(Object.entries(server).filter(isKept)) as typeof server
}

function isWebPage(value: unknown): boolean {
  try {
    return typeof value === 'string' && parseWebPage(value).href !== ''
  } catch {
    return false
  }
}

/** Without `offline_access` many servers issue no refresh token (SEP-2207). */
function withOfflineAccess(scope: string, server: oauth.AuthorizationServer): string {
  const scopes = scope.split(' ').filter(Boolean)
  const isOffered = server.scopes_supported?.includes('offline_access') === true
  if (isOffered && scopes.length > 0 && !scopes.includes('offline_access')) {
    scopes.push('offline_access')
  }
  return scopes.join(' ')
}

function resourceOf({ href }: URL): string {
  return href.split('#', 1).join()
}

function explain(error: unknown, sdk: Sdk): unknown {
  if (error instanceof SignInFailure) return error
  const why = sdk.IssuerMismatchError.isInstance(error)
    ? 'the sign-in server answers in the name of another issuer'
    : 'the server describes its sign-in in a way that cannot be trusted'
  return untrusted(why, error)
}
