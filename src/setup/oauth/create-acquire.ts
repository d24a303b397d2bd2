/**
 * Acquires tokens by signing in: with a device code, through a browser, or as a remote MCP server's metadata describes.
 * A token goes from its issuer straight into the vault; a prompt holds URLs and user codes, never a token.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { Egress } from '../../ports/egress-port.ts'
import type { Audit, Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { SecretRef } from '../../kernel/secret-ref.ts'
import type { Service } from '../../ports/service-facts.ts'
import type { AcceptCallback } from '../../ports/setup-port.ts'
import type { Acquired, Acquirer, AcquirePrompt, AcquireRequest } from '../connection/acquirer.ts'
import { parseCallback } from './parse-callback.ts'
import { type PendingCallbacks, createPendingCallbacks } from './pending-callbacks.ts'
import { forgetRegistration, type SignInSettings } from './client-identity.ts'
import type { OAuthTokens } from './create-tokens.ts'
import { tokenOf } from './grant.ts'
import { readAccount } from './read-account.ts'
import { callbackRefused } from './oauth-errors.ts'
import { NotSetUp, SignInFailure, SignInTimeout } from './sign-in-failure.ts'
import {
  type OwnClient,
  type SignedIn,
  type SignInDeps,
  signInByCode,
  signInByDevice,
  signInToServer,
} from './sign-in.ts'

type Prompt = (prompt: AcquirePrompt) => void

export interface ConfiguredClient {
  readonly clientId: string
  readonly secretRef?: SecretRef
  /** For a client registered with a custom URI scheme: `cordon://oauth/callback`. */
  readonly redirectUri?: string
  /** For a remote MCP server: the only issuer this client is used with; absent: the MCP server's own origin. */
  readonly issuer?: string
}

export interface AcquireParts {
  readonly tokens: Pick<OAuthTokens, 'put' | 'widerScope' | 'wantMore'>
  readonly vault: Pick<Vault, 'lease' | 'set' | 'remove'>
  readonly createFetch: Egress['createFetch']
  readonly audit: Pick<Audit, 'appendDurable'>
  readonly owner: PrincipalId
  /** From `[oauth.<provider>]` in `config.toml`; for a remote MCP server, by its host name. */
  readonly clients: (provider: string) => Promise<ConfiguredClient | undefined>
  /** From `[sign_in]` in `config.toml`. */
  readonly settings: () => Promise<SignInSettings>
  readonly now?: () => number
  readonly sleep?: (ms: number, signal: AbortSignal) => Promise<void>
  /** For tests: how long a browser may take; two minutes otherwise. */
  readonly timeoutMs?: number
}

export interface OAuthAcquirer extends Acquirer {
  /** Delivers a callback URL from `cordon auth callback`. Throws if no sign-in waits for it. */
  readonly complete: AcceptCallback
}

export function createAcquire(parts: AcquireParts): OAuthAcquirer {
  const callbacks = createPendingCallbacks()
  const deps = roomsOf(parts, callbacks)
  return {
    start: (request, onPrompt, signal) =>
      acquire(deps, { request, onPrompt, signal }, (prompt) =>
        signInBy(deps, request, prompt, signal),
      ),
    wantsMore: (name, needed) => wantsMore(parts.tokens, name, needed),
    takeCallback(text) {
      const url = parseCallback(text)
      if (!url) return 'other'
      return callbacks.deliver(url) ? 'taken' : 'unexpected'
    },
    async complete(callback) {
      const url = URL.parse(callback.trim())
      if (!url) throw callbackRefused('it is not an address')
      if (!callbacks.deliver(url)) throw callbackRefused('no sign-in waits for it')
    },
  }
}

/** Needed scopes that the token lacks are remembered first, so that the sign-in requests them. */
async function wantsMore(
  tokens: AcquireParts['tokens'],
  name: string,
  needed: readonly string[],
): Promise<boolean> {
  const wanted = { scope: needed.join(' ') }
  // A token that cannot be read now is not widened either.
  await tokens.wantMore(name, wanted, new AbortController().signal).catch(() => false)
  return (await tokens.widerScope(name)) !== undefined
}

interface AcquireDeps extends SignInDeps {
  readonly tokens: AcquireParts['tokens']
}

function roomsOf(parts: AcquireParts, callbacks: PendingCallbacks): AcquireDeps {
  const { now = Date.now, clients } = parts
  return {
    ...parts,
    callbacks,
    now,
    sleep: parts.sleep ?? ((ms, signal) => pause(ms, undefined, { signal })),
    configured: async (provider) => clientOf(await clients(provider)),
  }
}

interface Attempt {
  readonly request: AcquireRequest
  readonly onPrompt: Prompt
  readonly signal: AbortSignal
}

/** A failure before the first prompt means that this method is unavailable; afterwards, that the sign-in failed. */
async function acquire(
  deps: AcquireDeps,
  { request, onPrompt, signal }: Attempt,
  signIn: (onPrompt: Prompt) => Promise<SignedIn>,
): Promise<Acquired> {
  let kind: 'failed' | 'unavailable' = 'unavailable'
  try {
    const signedIn = await signIn((prompt) => {
      kind = 'failed'
      onPrompt(prompt)
    })
    await store(deps, request.name, signedIn, signal)
    const account = await readAccount(deps.createFetch, signedIn, signal)
    const ref = { scheme: 'oauth', name: request.name } as const
    return { kind: 'token', ref, ...(account !== undefined && { account }) }
  } catch (error) {
    if (signal.aborted) return { kind: 'failed', reason: 'it was cancelled' }
    if (error instanceof SignInFailure) return notAcquired(kind, error)
    throw error
  }
}

function notAcquired(kind: 'failed' | 'unavailable', failure: SignInFailure): Acquired {
  const { message: reason, next } = failure
  const remedy = next === undefined ? {} : { next }
  const isTimeout = failure instanceof SignInTimeout && ({ isTimeout: true } as const)
  if (!(failure instanceof NotSetUp)) return { kind, reason, ...remedy, ...isTimeout }
  const { client } = failure
  const silent = next === undefined ? ({ isSetUp: false } as const) : remedy
  return { kind: 'unavailable', reason, ...silent, ...(client && { client }) }
}

async function store(
  { tokens, vault, owner, now }: AcquireDeps,
  name: string,
  { grant, source, scope }: SignedIn,
  signal: AbortSignal,
): Promise<void> {
  try {
    await tokens.put(name, tokenOf(grant, source, scope, now()), signal)
  } catch (error) {
    await forgetRegistration(vault, owner, source.client)
    throw error
  }
}

/** Also requests scopes that the service asked for since the last sign-in, together with those already granted. */
async function signInBy(
  deps: AcquireDeps,
  { method, service, name }: AcquireRequest,
  onPrompt: Prompt,
  signal: AbortSignal,
): Promise<SignedIn> {
  const more = { moreScope: await deps.tokens.widerScope(name) }
  if (method.kind === 'mcp') {
    return await signInToServer(deps, { url: serverUrlOf(service), ...more }, onPrompt, signal)
  }
  return method.kind === 'device'
    ? await signInByDevice(deps, { ...method, ...more }, onPrompt, signal)
    : await signInByCode(deps, { ...method, ...more }, onPrompt, signal)
}

function serverUrlOf({ launch }: Service): string {
  if (launch.kind === 'remote') return launch.url
  throw new SignInFailure('it is not a remote server')
}

/** Providers that require a client secret, GitHub and Google among them, accept it in the request body. */
function clientOf(configured: ConfiguredClient | undefined): OwnClient | undefined {
  return configured && { ...configured, auth: configured.secretRef ? 'client_secret_post' : 'none' }
}
