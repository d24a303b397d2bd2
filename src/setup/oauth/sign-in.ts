/** The three ways to sign in, each to its end: what was granted, by whom, and what had been asked for. */
import type * as oauth from 'oauth4webapi'
import type { OAuthMethod } from '../../kernel/service-facts.ts'
import type { AcquirePrompt } from '../acquire.ts'
import { openCallbackListener } from './callback-listener.ts'
import { forgetRegistration, type IdentityRooms, identify } from './client-identity.ts'
import { type CodeFlowRooms, runCodeFlow } from './code-flow.ts'
import { type DeviceFlowRooms, runDeviceFlow } from './device-flow.ts'
import type { Grant, OAuthClient, TokenSource } from './grant.ts'
import { discoverMcpAuthorization } from './mcp-discovery.ts'
import { SignInFailure } from './sign-in-failure.ts'
import { unionOf } from './wider-scope.ts'

export interface SignInRooms extends DeviceFlowRooms, CodeFlowRooms, IdentityRooms {
  readonly vault: IdentityRooms['vault']
  /** By the name of a provider, or the host of a remote MCP server as in `[oauth."mcp.example.com"]`. */
  readonly configured: (provider: string) => Promise<OwnClient | undefined>
}

/** A client that the owner has registered himself. */
export interface OwnClient extends OAuthClient {
  /** Where browsers are sent back to, where it was registered with a scheme of its own. */
  readonly redirectUri?: string | undefined
  /** The one sign-in server of a remote MCP server that it is shown to; absent: the MCP server itself. */
  readonly issuer?: string | undefined
}

export interface SignedIn {
  readonly grant: Grant
  readonly source: TokenSource
  readonly scope: string
}

/** What a service asked for besides what it was content with before. */
interface MoreScope {
  readonly moreScope?: string | undefined
}

type Prompt = (prompt: AcquirePrompt) => void
type Method<K extends OAuthMethod['kind']> = Extract<OAuthMethod, { kind: K }>

export async function signInByDevice(
  rooms: SignInRooms,
  { moreScope, ...method }: Method<'device'> & MoreScope,
  onPrompt: Prompt,
  signal: AbortSignal,
): Promise<SignedIn> {
  const client = await needClient(rooms, method.provider)
  const server = {
    issuer: new URL(method.tokenUrl).origin,
    device_authorization_endpoint: method.deviceUrl,
    token_endpoint: method.tokenUrl,
  }
  const scope = unionOf(...method.scopes, moreScope)
  const grant = await runDeviceFlow(rooms, { server, client, scope }, onPrompt, signal)
  return { grant, source: sourceFrom(server, client), scope }
}

export async function signInByCode(
  rooms: SignInRooms,
  { moreScope, ...method }: Method<'code'> & MoreScope,
  onPrompt: Prompt,
  signal: AbortSignal,
): Promise<SignedIn> {
  const client = await needClient(rooms, method.provider)
  const server = {
    issuer: new URL(method.authorizeUrl).origin,
    authorization_endpoint: method.authorizeUrl,
    token_endpoint: method.tokenUrl,
    ...(method.revokeUrl !== undefined && { revocation_endpoint: method.revokeUrl }),
  }
  await using stack = new AsyncDisposableStack()
  const redirectUri =
    client.redirectUri ?? stack.use(await openCallbackListener(rooms.desk)).redirectUri
  const scope = unionOf(...method.scopes, moreScope)
  const flow = { server, client, redirectUri, scope, issuerIsGuessed: true }
  const grant = await runCodeFlow(rooms, flow, onPrompt, signal)
  return { grant, source: sourceFrom(server, client), scope }
}

/** As the owner's own client where there is one for this server, else as whoever Cordon can be there. */
export async function signInToServer(
  rooms: SignInRooms,
  { url, moreScope }: { readonly url: string } & MoreScope,
  onPrompt: Prompt,
  signal: AbortSignal,
): Promise<SignedIn> {
  const found = await discoverMcpAuthorization(rooms.createFetch, url, signal)
  const { server, resource } = found
  const scope = unionOf(found.scope, moreScope)
  const own = await ownClient(rooms, url, server.issuer)
  await using stack = new AsyncDisposableStack()
  const redirectUri =
    own?.redirectUri ?? stack.use(await openCallbackListener(rooms.desk)).redirectUri
  const client = own ?? (await identify(rooms, { server, redirectUri, scope }, signal))
  try {
    const flow = { server, client, redirectUri, scope, resource, issuerIsGuessed: false }
    const grant = await runCodeFlow(rooms, flow, onPrompt, signal)
    return { grant, source: { ...sourceFrom(server, client), resource }, scope }
  } catch (error) {
    await forgetRegistration(rooms.vault, rooms.owner, client)
    throw error
  }
}

/** Looked up by the MCP server alone: which sign-in server it names is its own word, and is held against the settings. */
async function ownClient(
  rooms: SignInRooms,
  url: string,
  issuer: string,
): Promise<OwnClient | undefined> {
  const { hostname, origin } = new URL(url)
  const own = await rooms.configured(hostname)
  if (own && URL.parse(own.issuer ?? origin)?.href !== new URL(issuer).href) {
    throw new SignInFailure('it names another sign-in server than your settings do')
  }
  return own
}

async function needClient(rooms: SignInRooms, provider: string): Promise<OwnClient> {
  const client = await rooms.configured(provider)
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
