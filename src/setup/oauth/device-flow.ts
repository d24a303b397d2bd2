/**
 * Signing in with a code that the owner enters on another device (RFC 8628). Polls no more often than the server allows
 * and stops when `signal` aborts: a later answer is dropped.
 */
import * as oauth from 'oauth4webapi'
import type { AcquirePrompt } from '../connection/acquirer.ts'
import type { Grant, OAuthClient } from './grant.ts'
import { SignInFailure } from './sign-in-failure.ts'
import { atServer, codeOf, type EndpointDeps, explained, grantOf } from './token-endpoint.ts'
import { parseWebPage } from './web-page.ts'

export interface DeviceFlowDeps extends EndpointDeps {
  readonly now: () => number
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>
}

export interface DeviceFlow {
  readonly server: oauth.AuthorizationServer
  readonly client: OAuthClient
  readonly scope: string
}

const DEFAULT_INTERVAL_S = 5
const SLOWER_S = 5
const LONGEST_INTERVAL_S = 60
/** A user code must be readable and typeable; any other text is refused. */
const USER_CODE = /^[A-Za-z0-9][A-Za-z0-9 -]{2,31}$/

export async function runDeviceFlow(
  deps: DeviceFlowDeps,
  flow: DeviceFlow,
  onPrompt: (prompt: AcquirePrompt) => void,
  signal: AbortSignal,
): Promise<Grant> {
  const begun = await begin(deps, flow, signal)
  const deadline = deps.now() + begun.expires_in * 1000
  const url = parseWebPage(begun.verification_uri).href
  if (!USER_CODE.test(begun.user_code)) {
    throw new SignInFailure('the server gave a code that nobody can type')
  }
  onPrompt({ kind: 'device', url, code: begun.user_code })

  let interval = Math.min(begun.interval ?? DEFAULT_INTERVAL_S, LONGEST_INTERVAL_S)
  for (;;) {
    await deps.sleep(interval * 1000, signal)
    if (deps.now() >= deadline) throw new SignInFailure('the code expired before it was entered')
    const answer = await poll(deps, flow, begun.device_code, signal)
    if (answer.kind === 'granted') return answer.grant
    if (answer.kind === 'slower') interval += SLOWER_S
    // Exponential backoff while the server cannot be reached (RFC 8628 §3.5).
    if (answer.kind === 'away') interval = Math.min(interval * 2, LONGEST_INTERVAL_S)
  }
}

async function begin(
  deps: DeviceFlowDeps,
  { scope, ...place }: DeviceFlow,
  signal: AbortSignal,
): Promise<oauth.DeviceAuthorizationResponse> {
  return await atServer(
    deps,
    place,
    async ({ server, client, auth, options }) => {
      const wanted = scope === '' ? {} : { scope }
      const sent = await oauth.deviceAuthorizationRequest(server, client, auth, wanted, options)
      return await oauth.processDeviceAuthorizationResponse(server, client, sent)
    },
    signal,
  ).catch((error: unknown) => {
    throw explained(error)
  })
}

type Answer =
  | { readonly kind: 'granted'; readonly grant: Grant }
  | { readonly kind: 'pending' | 'slower' | 'away' }

async function poll(
  deps: DeviceFlowDeps,
  flow: DeviceFlow,
  deviceCode: string,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const grant = await atServer(
      deps,
      flow,
      async ({ server, client, auth, options }) => {
        const sent = await oauth.deviceCodeGrantRequest(server, client, auth, deviceCode, options)
        return grantOf(await oauth.processDeviceCodeResponse(server, client, sent))
      },
      signal,
    )
    return { kind: 'granted', grant }
  } catch (error) {
    signal.throwIfAborted()
    const code = codeOf(error)
    if (code === 'authorization_pending') return { kind: 'pending' }
    if (code === 'slow_down') return { kind: 'slower' }
    const clear = explained(error)
    if (code === undefined && clear instanceof SignInFailure) return { kind: 'away' }
    throw clear
  }
}
