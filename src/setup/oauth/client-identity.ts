/**
 * Chooses the client id for an authorization server found by discovery, if the owner has registered no client there: a
 * Client ID Metadata Document (CIMD) if the server supports it, else dynamic registration (RFC 7591).
 */
import { randomUUID } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import type { Audit, Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import { createCarefulFetch } from './careful-fetch.ts'
import type { OAuthClient } from './grant.ts'
import type { MissingClient } from '../connection/acquirer.ts'
import { NotSetUp } from './sign-in-failure.ts'
import { createTolerantRegistration } from './tolerant-registration.ts'
import { type EndpointDeps, explained } from './token-endpoint.ts'
import type { ClientAuth } from './stored-token.ts'

export interface IdentityDeps extends EndpointDeps {
  readonly vault: Pick<Vault, 'lease' | 'set' | 'remove'>
  readonly audit: Pick<Audit, 'appendDurable'>
  readonly settings: () => Promise<SignInSettings>
}

/** The owner's settings for signing in, read at each use. */
export interface SignInSettings {
  /** The https URL of a document that describes Cordon as a client (CIMD). */
  readonly clientDocument?: string
  /** The port of 127.0.0.1 on which a browser comes back; any free one if it is absent. */
  readonly callbackPort?: number
}

export interface SignIn {
  readonly server: oauth.AuthorizationServer
  readonly redirectUri: string
  readonly scope: string
  /** The name under which a client of the owner's is kept. */
  readonly provider: string
}

/** Vault prefix for secrets of registered clients, one per registration: never shared between two tokens. */
const SECRETS = 'oauth-client/'

export async function identify(
  deps: IdentityDeps,
  signIn: SignIn,
  signal: AbortSignal,
): Promise<OAuthClient> {
  const { server } = signIn
  const settings = await deps.settings()
  const document = takesDocuments(server) ? settings.clientDocument : undefined
  if (document !== undefined) return { clientId: document, auth: 'none' }
  if (server.registration_endpoint !== undefined) return await register(deps, signIn, signal)
  throw new NotSetUp(
    'its sign-in server knows no client id for Cordon',
    missingClient(signIn, settings),
    'Register a client at the provider and name it under `[oauth."HOST"]` in config.toml',
  )
}

/** A public client: its code is protected by PKCE. */
function missingClient(
  { server, redirectUri, provider }: SignIn,
  { callbackPort }: SignInSettings,
): MissingClient {
  const place = new URL(server.issuer).host
  // Without a fixed port the next sign-in has another one, which a provider ignores (RFC 8252, section 7.3).
  const back = callbackPort === undefined ? redirectUri.replace(/:\d+\//, '/') : redirectUri
  const where = `Register a public client at ${place}, with ${back} as the address to come back to`
  return { provider, where, hasSecret: false }
}

function takesDocuments(server: oauth.AuthorizationServer): boolean {
  return server['client_id_metadata_document_supported'] === true
}

async function register(
  deps: IdentityDeps,
  { server, redirectUri, scope }: SignIn,
  signal: AbortSignal,
): Promise<OAuthClient> {
  const { hostname } = new URL(server.registration_endpoint ?? '')
  const fetch = createCarefulFetch(deps.createFetch({ allowedDomains: [hostname] }), signal)
  const metadata = {
    client_name: 'Cordon',
    application_type: 'native',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
    ...(scope !== '' && { scope }),
  }
  try {
    const options = { [oauth.customFetch]: createTolerantRegistration(fetch) }
    const sent = await oauth.dynamicClientRegistrationRequest(server, metadata, options)
    const answer = await oauth.processDynamicClientRegistrationResponse(sent)
    return await keep(deps, server, answer)
  } catch (error) {
    throw explained(error)
  }
}

/** Some servers issue a client secret even if the registration asks for none. */
async function keep(
  { vault, audit, owner }: IdentityDeps,
  { issuer }: oauth.AuthorizationServer,
  answer: oauth.OmitSymbolProperties<oauth.Client>,
): Promise<OAuthClient> {
  const { client_id: clientId, client_secret: secret } = answer
  await audit.appendDurable({ kind: 'setup.client-registered', principal: owner, subject: issuer })
  if (typeof secret !== 'string' || answer['token_endpoint_auth_method'] === 'none') {
    return { clientId, auth: 'none' }
  }
  // A server may answer two registrations with one client; each token removes its own copy of the secret.
  const id = randomUUID()
  await vault.set(owner, SECRETS + id, Buffer.from(secret))
  const isPost = answer['token_endpoint_auth_method'] === 'client_secret_post'
  const auth: ClientAuth = isPost ? 'client_secret_post' : 'client_secret_basic'
  return { clientId, auth, secretRef: { scheme: 'vault', name: SECRETS + id } }
}

/** Removes the client secret of a registration that no token uses: after a failed sign-in, or with its token. */
export async function forgetRegistration(
  vault: Pick<Vault, 'remove'>,
  owner: PrincipalId,
  { secretRef }: Pick<OAuthClient, 'secretRef'>,
): Promise<void> {
  if (secretRef?.scheme === 'vault' && secretRef.name.startsWith(SECRETS)) {
    await vault.remove(owner, secretRef.name)
  }
}
