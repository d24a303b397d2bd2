/**
 * The three ways to sign in: device code, authorization code, remote MCP server. Each returns the grant and its source.
 */
import { createHash } from 'node:crypto'
import type * as oauth from 'oauth4webapi'
import type { OAuthMethod } from '../../ports/service-facts.ts'
import type { AcquirePrompt } from '../connection/acquirer.ts'
import { type CallbackListener, openCallbackListener } from './callback-listener.ts'
import { forgetRegistration, type IdentityDeps, identify } from './client-identity.ts'
import { type CodeFlowDeps, runCodeFlow } from './code-flow.ts'
import { type DeviceFlowDeps, runDeviceFlow } from './device-flow.ts'
import type { Grant, OAuthClient, TokenSource } from './grant.ts'
import { discoverMcpAuthorization } from './mcp-authorization.ts'
import { NotSetUp, SignInFailure } from './sign-in-failure.ts'
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
  /** The place where the provider tells whose token it is; without a field, by the claims of OpenID Connect. */
  readonly identity?: { readonly url: string; readonly field?: string } | undefined
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
  const client = await needClient(deps, method)
  const server = {
    issuer: new URL(method.tokenUrl).origin,
    device_authorization_endpoint: method.deviceUrl,
    token_endpoint: method.tokenUrl,
  }
  const scope = unionOf(...method.scopes, moreScope)
  const grant = await runDeviceFlow(deps, { server, client, scope }, onPrompt, signal)
  return { grant, source: sourceFrom(server, client), scope, identity: method.identity }
}

export async function signInByCode(
  deps: SignInDeps,
  { moreScope, ...method }: Method<'code'> & MoreScope,
  onPrompt: Prompt,
  signal: AbortSignal,
): Promise<SignedIn> {
  const client = await needClient(deps, method)
  const server = {
    issuer: new URL(method.authorizeUrl).origin,
    authorization_endpoint: method.authorizeUrl,
    token_endpoint: method.tokenUrl,
    ...(method.revokeUrl !== undefined && { revocation_endpoint: method.revokeUrl }),
  }
  await using stack = new AsyncDisposableStack()
  const { redirectUri } = stack.use(await listenFor(deps, client))
  const scope = unionOf(...method.scopes, moreScope)
  const flow = { server, client, redirectUri, scope, issuerIsGuessed: true }
  const grant = await runCodeFlow(deps, flow, onPrompt, signal)
  return { grant, source: sourceFrom(server, client), scope, identity: method.identity }
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
  const own = await ownClient(deps, url, server)
  await using stack = new AsyncDisposableStack()
  const { redirectUri } = stack.use(await listenFor(deps, own))
  const asked = { server, redirectUri, scope, provider: providerFor(url, server) }
  const client = own ?? (await identify(deps, asked, signal))
  try {
    const flow = { server, client, redirectUri, scope, resource, issuerIsGuessed: false }
    const grant = await runCodeFlow(deps, flow, onPrompt, signal)
    const identity = userinfoOf(server, grant.scope ?? scope)
    return { grant, source: { ...sourceFrom(server, client), resource }, scope, identity }
  } catch (error) {
    await forgetRegistration(deps.vault, deps.owner, client)
    throw error
  }
}

/** Only a token with this scope is for the userinfo endpoint (OpenID Connect Core, section 5.3). */
function userinfoOf(
  { userinfo_endpoint: url }: oauth.AuthorizationServer,
  scope: string,
): SignedIn['identity'] {
  return url !== undefined && scope.split(' ').includes('openid') ? { url } : undefined
}

/** The address registered for the owner's client comes before the port of the settings. */
async function listenFor(
  { callbacks, settings }: SignInDeps,
  own: OwnClient | undefined,
): Promise<CallbackListener> {
  if (own?.redirectUri !== undefined) {
    return await openCallbackListener(callbacks, { redirectUri: own.redirectUri })
  }
  const { callbackPort: port } = await settings()
  return await openCallbackListener(callbacks, port === undefined ? {} : { port })
}

/** Looked up by the MCP server's host: the issuer that the server names is untrusted and must match the settings. */
async function ownClient(
  deps: SignInDeps,
  url: string,
  server: oauth.AuthorizationServer,
): Promise<OwnClient | undefined> {
  const { hostname, origin } = new URL(url)
  const own = (await deps.configured(hostname)) ?? (await askedClient(deps, url, server))
  if (own && URL.parse(own.issuer ?? origin)?.href !== new URL(server.issuer).href) {
    throw new SignInFailure('it names another sign-in server than your settings do')
  }
  return own && { ...own, auth: authFor(own, server) }
}

/** The client that a connection asked for. Its name holds the issuer, so that it is used with no other. */
async function askedClient(
  { configured }: SignInDeps,
  url: string,
  server: oauth.AuthorizationServer,
): Promise<OwnClient | undefined> {
  const client = await configured(providerFor(url, server))
  return client && { ...client, issuer: server.issuer }
}

function providerFor(url: string, { issuer }: oauth.AuthorizationServer): string {
  const hash = createHash('sha256').update(issuer).digest('hex').slice(0, 16)
  return `${new URL(url).hostname}/${hash}`
}

/** In the body, unless the server lists its methods and this one is not among them (RFC 8414, section 2). */
function authFor(
  { secretRef }: OwnClient,
  { token_endpoint_auth_methods_supported: methods }: oauth.AuthorizationServer,
): OwnClient['auth'] {
  if (!secretRef) return 'none'
  const isBody = methods?.includes('client_secret_post') ?? true
  return isBody ? 'client_secret_post' : 'client_secret_basic'
}

async function needClient(
  deps: SignInDeps,
  { provider, register }: Method<'device' | 'code'>,
): Promise<OwnClient> {
  const client = await deps.configured(provider)
  if (client) return client
  const missing = register && { provider, ...register }
  throw new NotSetUp(`no client id is set up under [oauth.${provider}]`, missing)
}

function sourceFrom(server: oauth.AuthorizationServer, client: OAuthClient): TokenSource {
  return {
    issuer: server.issuer,
    tokenEndpoint: server.token_endpoint ?? '',
    revocationEndpoint: server.revocation_endpoint,
    client,
  }
}
