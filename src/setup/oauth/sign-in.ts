/**
 * The three ways to sign in: device code, authorization code, remote MCP server. Each returns the grant and its source.
 */
import type * as oauth from 'oauth4webapi'
import type { OAuthMethod } from '../../kernel/service-facts.ts'
import type { AcquirePrompt } from '../connection/acquirer.ts'
import { openCallbackListener } from './callback-listener.ts'
import { forgetRegistration, type IdentityDeps, identify } from './client-identity.ts'
import { type CodeFlowDeps, runCodeFlow } from './code-flow.ts'
import { type DeviceFlowDeps, runDeviceFlow } from './device-flow.ts'
import type { Grant, OAuthClient, TokenSource } from './grant.ts'
import { discoverMcpAuthorization } from './mcp-authorization.ts'
import { SignInFailure } from './sign-in-failure.ts'
import { unionOf } from './wider-scope.ts'

export interface SignInDeps extends DeviceFlowDeps, CodeFlowDeps, IdentityDeps {
  readonly vault: IdentityDeps['vault']
  /** By the name of a provider, or the host of a remote MCP server as in `[oauth."mcp.example.com"]`. */
  readonly configured: (provider: string) => Promise<OwnClient | undefined>
}

/** A client that the owner has registered with the provider. */
export interface OwnClient extends OAuthClient {
  /** The redirect URI of a client registered with a custom URI scheme. */
  readonly redirectUri?: string | undefined
  /** For a remote MCP server: the only issuer this client is used with; absent: the MCP server's own origin. */
  readonly issuer?: string | undefined
}

export interface SignedIn {
  readonly grant: Grant
  readonly source: TokenSource
  readonly scope: string
}

/** Scopes that a service asked for beyond those of its token. */
interface MoreScope {
  readonly moreScope?: string | undefined
}

type Prompt = (prompt: AcquirePrompt) => void
type Method<K extends OAuthMethod['kind']> = Extract<OAuthMethod, { kind: K }>

export async function signInByDevice(
  deps: SignInDeps,
  { moreScope, ...method }: Method<'device'> & MoreScope,
  onPrompt: Prompt,
  signal: AbortSignal,
): Promise<SignedIn> {
  const client = await needClient(deps, method.provider)
  const server = {
    issuer: new URL(method.tokenUrl).origin,
    device_authorization_endpoint: method.deviceUrl,
    token_endpoint: method.tokenUrl,
  }
  const scope = unionOf(...method.scopes, moreScope)
  const grant = await runDeviceFlow(deps, { server, client, scope }, onPrompt, signal)
  return { grant, source: sourceFrom(server, client), scope }
}

export async function signInByCode(
  deps: SignInDeps,
  { moreScope, ...method }: Method<'code'> & MoreScope,
  onPrompt: Prompt,
  signal: AbortSignal,
): Promise<SignedIn> {
  const client = await needClient(deps, method.provider)
  const server = {
    issuer: new URL(method.authorizeUrl).origin,
    authorization_endpoint: method.authorizeUrl,
    token_endpoint: method.tokenUrl,
    ...(method.revokeUrl !== undefined && { revocation_endpoint: method.revokeUrl }),
  }
  await using stack = new AsyncDisposableStack()
  const redirectUri =
    client.redirectUri ?? stack.use(await openCallbackListener(deps.callbacks)).redirectUri
  const scope = unionOf(...method.scopes, moreScope)
  const flow = { server, client, redirectUri, scope, issuerIsGuessed: true }
  const grant = await runCodeFlow(deps, flow, onPrompt, signal)
  return { grant, source: sourceFrom(server, client), scope }
}

/** Uses the owner's registered client for this server if there is one, else CIMD or dynamic registration. */
export async function signInToServer(
  deps: SignInDeps,
  { url, moreScope }: { readonly url: string } & MoreScope,
  onPrompt: Prompt,
  signal: AbortSignal,
): Promise<SignedIn> {
  const found = await discoverMcpAuthorization(deps.createFetch, url, signal)
  const { server, resource } = found
  const scope = unionOf(found.scope, moreScope)
  const own = await ownClient(deps, url, server.issuer)
  await using stack = new AsyncDisposableStack()
  const redirectUri =
    own?.redirectUri ?? stack.use(await openCallbackListener(deps.callbacks)).redirectUri
  const client = own ?? (await identify(deps, { server, redirectUri, scope }, signal))
  try {
    const flow = { server, client, redirectUri, scope, resource, issuerIsGuessed: false }
    const grant = await runCodeFlow(deps, flow, onPrompt, signal)
    return { grant, source: { ...sourceFrom(server, client), resource }, scope }
  } catch (error) {
    await forgetRegistration(deps.vault, deps.owner, client)
    throw error
  }
}

/** Looked up by the MCP server's host: the issuer that the server names is untrusted and must match the settings. */
async function ownClient(
  deps: SignInDeps,
  url: string,
  issuer: string,
): Promise<OwnClient | undefined> {
  const { hostname, origin } = new URL(url)
  const own = await deps.configured(hostname)
  if (own && URL.parse(own.issuer ?? origin)?.href !== new URL(issuer).href) {
    throw new SignInFailure('it names another sign-in server than your settings do')
  }
  return own
}

async function needClient(deps: SignInDeps, provider: string): Promise<OwnClient> {
  const client = await deps.configured(provider)
  if (client) return client
  throw new SignInFailure(`no client id is set up under [oauth.${provider}]`)
}

function sourceFrom(server: oauth.AuthorizationServer, client: OAuthClient): TokenSource {
  return {
    issuer: server.issuer,
    tokenEndpoint: server.token_endpoint ?? '',
    revocationEndpoint: server.revocation_endpoint,
    client,
  }
}
