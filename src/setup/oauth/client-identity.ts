/**
 * As whom to sign in at an authorization server that nobody chose, where the owner has no client of his own for it: by a
 * document that describes Cordon (CIMD) where the server reads such documents, else by registering (RFC 7591).
 */
import { createHash } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import type { Audit, Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import { createCarefulFetch } from './careful-fetch.ts'
import type { OAuthClient } from './grant.ts'
import { SignInFailure } from './sign-in-failure.ts'
import { type EndpointRooms, explained } from './token-endpoint.ts'
import type { ClientAuth } from './stored-token.ts'

export interface IdentityRooms extends EndpointRooms {
  readonly vault: Pick<Vault, 'lease' | 'set' | 'remove'>
  readonly audit: Pick<Audit, 'appendDurable'>
  /** An https address where a document describes Cordon as a client; absent where nobody hosts one. */
  readonly clientMetadataUrl?: string
}

export interface SignIn {
  readonly server: oauth.AuthorizationServer
  readonly redirectUri: string
  readonly scope: string
}

/** The secrets of registered clients, by issuer and client: never one that another server gave. */
const SECRETS = 'oauth-client/'

export async function identify(
  rooms: IdentityRooms,
  signIn: SignIn,
  signal: AbortSignal,
): Promise<OAuthClient> {
  const { server } = signIn
  const { clientMetadataUrl: document } = rooms
  if (document !== undefined && server['client_id_metadata_document_supported'] === true) {
    return { clientId: document, auth: 'none' }
  }
  if (server.registration_endpoint !== undefined) return await register(rooms, signIn, signal)
  throw new SignInFailure('its sign-in server knows no client id for Cordon')
}

async function register(
  rooms: IdentityRooms,
  { server, redirectUri, scope }: SignIn,
  signal: AbortSignal,
): Promise<OAuthClient> {
  const { hostname } = new URL(server.registration_endpoint ?? '')
  const fetch = createCarefulFetch(rooms.createFetch({ allowedDomains: [hostname] }), signal)
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
    const options = { [oauth.customFetch]: fetch }
    const sent = await oauth.dynamicClientRegistrationRequest(server, metadata, options)
    const answer = await oauth.processDynamicClientRegistrationResponse(sent)
    return await keep(rooms, server, answer)
  } catch (error) {
    throw explained(error)
  }
}

/** Asked for a client without a secret, some servers give one all the same. */
async function keep(
  { vault, audit, owner }: IdentityRooms,
  { issuer }: oauth.AuthorizationServer,
  answer: oauth.OmitSymbolProperties<oauth.Client>,
): Promise<OAuthClient> {
  const { client_id: clientId, client_secret: secret } = answer
  await audit.appendDurable({ kind: 'setup.client-registered', principal: owner, subject: issuer })
  if (typeof secret !== 'string' || answer['token_endpoint_auth_method'] === 'none') {
    return { clientId, auth: 'none' }
  }
  const id = createHash('sha256').update(`${issuer}\n${clientId}`).digest('hex').slice(0, 32)
  await vault.set(owner, SECRETS + id, Buffer.from(secret))
  const isPost = answer['token_endpoint_auth_method'] === 'client_secret_post'
  const auth: ClientAuth = isPost ? 'client_secret_post' : 'client_secret_basic'
  return { clientId, auth, secretRef: { scheme: 'vault', name: SECRETS + id } }
}

/** For a sign-in that came to nothing, and for a token that is given back. */
export async function forgetRegistration(
  vault: Pick<Vault, 'remove'>,
  owner: PrincipalId,
  { secretRef }: Pick<OAuthClient, 'secretRef'>,
): Promise<void> {
  if (secretRef?.scheme === 'vault' && secretRef.name.startsWith(SECRETS)) {
    await vault.remove(owner, secretRef.name)
  }
}
