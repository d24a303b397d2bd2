/**
 * Signing in through a browser: authorization code with PKCE (RFC 7636, always S256). The state is random and checked
 * here; the issuer is checked wherever possible (RFC 9207); the code is redeemed once, at the server where the sign-in
 * began.
 */
import * as oauth from 'oauth4webapi'
import type { AcquirePrompt } from '../connection/acquirer.ts'
import type { PendingCallbacks } from './pending-callbacks.ts'
import type { Grant, OAuthClient } from './grant.ts'
import { failureOf, SignInTimeout, untrusted } from './sign-in-failure.ts'
import { atServer, type EndpointDeps, explained, grantOf } from './token-endpoint.ts'
import { parseWebPage } from './web-page.ts'

export interface CodeFlowDeps extends EndpointDeps {
  readonly callbacks: PendingCallbacks
  /** Two minutes; shorter in tests. */
  readonly timeoutMs?: number
}

export interface CodeFlow {
  readonly server: oauth.AuthorizationServer
  readonly client: OAuthClient
  readonly scope: string
  readonly redirectUri: string
  readonly resource?: string | undefined
  /**
   * The issuer is derived from the authorization endpoint instead of metadata, so any `iss` of that origin is accepted.
   */
  readonly issuerIsGuessed: boolean
}

const TIMEOUT_MS = 120_000

export async function runCodeFlow(
  deps: CodeFlowDeps,
  flow: CodeFlow,
  onPrompt: (prompt: AcquirePrompt) => void,
  signal: AbortSignal,
): Promise<Grant> {
  const state = oauth.generateRandomState()
  const verifier = oauth.generateRandomCodeVerifier()
  const page = parseWebPage(flow.server.authorization_endpoint ?? '')
  const challenge = await oauth.calculatePKCECodeChallenge(verifier)
  const timeout = AbortSignal.timeout(deps.timeoutMs ?? TIMEOUT_MS)
  onPrompt({ kind: 'authorize', url: authorizeUrl(page, flow, { state, challenge }) })
  const answer = await deps.callbacks
    .expect(state, flow.redirectUri, AbortSignal.any([signal, timeout]))
    .catch((error: unknown) => {
      if (signal.aborted || !timeout.aborted) throw error
      throw new SignInTimeout('authorization timed out after 2 minutes')
    })
  const code = { answer: checkAnswer(flow, answer, state), verifier }
  return await exchange(deps, flow, code, signal)
}

function authorizeUrl(
  page: URL,
  { client, scope, redirectUri, resource }: CodeFlow,
  { state, challenge }: { readonly state: string; readonly challenge: string },
): string {
  const parameters = {
    response_type: 'code',
    client_id: client.clientId,
    redirect_uri: redirectUri,
    state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    ...(scope !== '' && { scope }),
    ...(resource !== undefined && { resource }),
    // Without `prompt=consent` an OpenID provider leaves the refresh token out (OpenID Connect Core §11).
    ...(scope.split(' ').includes('offline_access') && { prompt: 'consent' }),
  }
  const url = new URL(page)
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return parseWebPage(url.href).href
}

/** Checks the issuer first: after a mix-up attack even an error of the wrong server must be ignored. */
function checkAnswer(flow: CodeFlow, answer: URLSearchParams, state: string): URLSearchParams {
  const server = flow.issuerIsGuessed ? withIssuerOf(flow.server, answer) : flow.server
  try {
    return oauth.validateAuthResponse(server, { client_id: flow.client.clientId }, answer, state)
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      throw failureOf(error.error, error)
    }
    throw untrusted('the answer came from another server than the one asked')
  }
}

function withIssuerOf(
  server: oauth.AuthorizationServer,
  answer: URLSearchParams,
): oauth.AuthorizationServer {
  const claimed = answer.get('iss') ?? ''
  const isSameOrigin = URL.parse(claimed)?.origin === new URL(server.issuer).origin
  return isSameOrigin ? { ...server, issuer: claimed } : server
}

async function exchange(
  deps: CodeFlowDeps,
  flow: CodeFlow,
  { answer, verifier }: { readonly answer: URLSearchParams; readonly verifier: string },
  signal: AbortSignal,
): Promise<Grant> {
  const resource = flow.resource && { additionalParameters: { resource: flow.resource } }
  return await atServer(
    deps,
    flow,
    async ({ server, client, auth, options }) => {
      const all = { ...options, ...resource }
      const sent = await oauth.authorizationCodeGrantRequest(
        server,
        client,
        auth,
        answer,
        flow.redirectUri,
        verifier,
        all,
      )
      return grantOf(await oauth.processAuthorizationCodeResponse(server, client, sent))
    },
    signal,
  ).catch((error: unknown) => {
    throw explained(error)
  })
}
