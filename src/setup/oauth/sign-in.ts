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

export interface SignInRooms extends DeviceFlowRooms, CodeFlowRooms, IdentityRooms {
  readonly vault: IdentityRooms['vault']
  /** Where browsers are sent back to for a provider that was registered with a scheme of its own. */
  readonly redirectUri: (provider: string) => Promise<string | undefined>
}

export interface SignedIn {
  readonly grant: Grant
  readonly source: TokenSource
  readonly scope: string
}

type Prompt = (prompt: AcquirePrompt) => void
type Method<K extends OAuthMethod['kind']> = Extract<OAuthMethod, { kind: K }>

export async function signInByDevice(
  rooms: SignInRooms,
  method: Method<'device'>,
  onPrompt: Prompt,
  signal: AbortSignal,
): Promise<SignedIn> {
  const client = await needClient(rooms, method.provider)
  const server = {
    issuer: new URL(method.tokenUrl).origin,
    device_authorization_endpoint: method.deviceUrl,
    token_endpoint: method.tokenUrl,
  }
  const scope = method.scopes.join(' ')
  const grant = await runDeviceFlow(rooms, { server, client, scope }, onPrompt, signal)
  return { grant, source: sourceFrom(server, client), scope }
}

export async function signInByCode(
  rooms: SignInRooms,
  method: Method<'code'>,
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
    (await rooms.redirectUri(method.provider)) ??
    stack.use(await openCallbackListener(rooms.desk)).redirectUri
  const flow = {
    server,
    client,
    redirectUri,
    scope: method.scopes.join(' '),
    issuerIsGuessed: true,
  }
  const grant = await runCodeFlow(rooms, flow, onPrompt, signal)
  return { grant, source: sourceFrom(server, client), scope: flow.scope }
}

/** `moreScope`: what a server asked for besides what it was content with before. */
export async function signInToServer(
  rooms: SignInRooms,
  { url, moreScope }: { readonly url: string; readonly moreScope?: string | undefined },
  onPrompt: Prompt,
  signal: AbortSignal,
): Promise<SignedIn> {
  const found = await discoverMcpAuthorization(rooms.createFetch, url, signal)
  const { server, resource } = found
  const scope = unionOf(found.scope, moreScope)
  await using listener = await openCallbackListener(rooms.desk)
  const { redirectUri } = listener
  const client = await identify(rooms, { server, redirectUri, scope }, signal)
  try {
    const flow = { server, client, redirectUri, scope, resource, issuerIsGuessed: false }
    const grant = await runCodeFlow(rooms, flow, onPrompt, signal)
    return { grant, source: { ...sourceFrom(server, client), resource }, scope }
  } catch (error) {
    await forgetRegistration(rooms.vault, rooms.owner, client)
    throw error
  }
}

/** Space-separated, each once. */
export function unionOf(...scopes: readonly (string | undefined)[]): string {
  return [...new Set(scopes.join(' ').split(' ').filter(Boolean))].join(' ')
}

async function needClient(rooms: SignInRooms, provider: string): Promise<OAuthClient> {
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
