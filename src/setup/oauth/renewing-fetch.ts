/**
 * Keeps remote servers signed in: a request that carries one of Cordon's tokens is sent with the newest one, and a
 * refused request (401) is sent again, once, with a renewed token. So a session survives the expiry of its token and no
 * call is lost. Requests with another token, or none, pass unchanged.
 */
import type { Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { Fetch } from './careful-fetch.ts'
import type { OAuthTokens } from './create-tokens.ts'
import { openLentTokens, type LentTokens } from './lent-tokens.ts'
import { lacksScope, notForIt } from './oauth-errors.ts'
import { calledTool, createScopeRefusals, type ScopeRefusals } from './scope-refusals.ts'
import { hashToken } from './stored-token.ts'

export interface RenewingFetchParts {
  readonly tokens: Pick<
    OAuthTokens,
    'freshness' | 'refreshAfter401' | 'nameOf' | 'audienceOf' | 'ensureFresh' | 'wantMore'
  >
  readonly vault: Pick<Vault, 'lease'>
  readonly owner: PrincipalId
  /** The service requires scopes that the token lacks (403 `insufficient_scope`). Called once per scope. */
  readonly onInsufficientScope: (name: string, scope: string) => void
}

export interface RenewingFetch extends AsyncDisposable {
  wrap(fetch: Fetch): Fetch
}

export function createRenewingFetch(parts: RenewingFetchParts): RenewingFetch {
  const lent = openLentTokens(parts)
  const refusals = createScopeRefusals()
  return {
    wrap: (fetch) => async (input, init) => {
      const used = bearerOf(init)
      const name = used === undefined ? undefined : parts.tokens.nameOf(hashToken(used))
      if (used === undefined || name === undefined) return await fetch(input, init)
      refuseStranger(name, parts.tokens.audienceOf(name), input)
      const send = (token: string): Promise<Response> => fetch(input, withBearer(init, token))
      return await sendFresh({ ...parts, lent, refusals }, { name, used, send, init })
    },
    [Symbol.asyncDispose]: () => lent[Symbol.asyncDispose](),
  }
}

/** A token is sent only to the origin it was issued for (its audience), whatever url a definition names. */
function refuseStranger(
  name: string,
  audience: string | undefined,
  input: Parameters<Fetch>[0],
): void {
  const { origin } = new URL(input instanceof Request ? input.url : input)
  if (audience !== undefined && new URL(audience).origin !== origin) throw notForIt(name, origin)
}

interface Sending {
  readonly name: string
  readonly used: string
  readonly send: (token: string) => Promise<Response>
  readonly init: RequestInit | undefined
}

interface SendingParts extends RenewingFetchParts {
  readonly lent: LentTokens
  readonly refusals: ScopeRefusals
}

async function sendFresh(
  parts: SendingParts,
  { name, used, send, init }: Sending,
): Promise<Response> {
  const { tokens, lent } = parts
  const signal = init?.signal ?? new AbortController().signal
  await tokens.ensureFresh(name, signal)
  const token = await lent.newest(name, used, signal)
  const call = { name, hash: hashToken(token), tool: calledTool(init?.body) }
  refuseKnown(parts, call)
  const response = await send(token)
  if (response.status === 403) await tellScope(parts, call, response, signal)
  if (response.status !== 401 || !canSendAgain(init)) return response
  const fresh = await tokens.refreshAfter401(name, hashToken(token), signal)
  if (fresh.kind !== 'fresh') return response
  await response.body?.cancel()
  return await send(await lent.newest(name, token, signal))
}

/** A stream can be read only once, so it cannot be sent again. */
function canSendAgain(init: RequestInit | undefined): boolean {
  return init?.body === undefined || init.body === null || typeof init.body === 'string'
}

function bearerOf(init: RequestInit | undefined): string | undefined {
  const [, token] =
    /^Bearer (.+)$/i.exec(new Headers(init?.headers).get('authorization') ?? '') ?? []
  return token
}

function withBearer(init: RequestInit | undefined, token: string): RequestInit {
  const headers = new Headers(init?.headers)
  headers.set('authorization', `Bearer ${token}`)
  return { ...init, headers }
}

/** The scope syntax of RFC 6749 §3.3; any other text is untrusted and not shown. */
const SCOPE = /scope="([!#-[\]-~]+(?: [!#-[\]-~]+)*)"/

interface Call {
  readonly name: string
  readonly hash: string
  /** Undefined if the request calls no tool. */
  readonly tool: string | undefined
}

function refuseKnown({ refusals }: SendingParts, call: Call): void {
  const { name, tool } = call
  const scope = tool === undefined ? undefined : refusals.find(call, tool)
  if (tool !== undefined && scope !== undefined) throw lacksScope(name, tool, scope)
}

/** Stored before it is reported, so that the next sign-in requests the scope. A call of a tool fails with the reason. */
async function tellScope(
  { tokens, refusals, onInsufficientScope }: SendingParts,
  call: Call,
  { headers, body }: Response,
  signal: AbortSignal,
): Promise<void> {
  const { name, tool } = call
  const challenge = headers.get('www-authenticate') ?? ''
  if (!/error="?insufficient_scope\b/.test(challenge)) return
  const scope = (SCOPE.exec(challenge)?.[1] ?? '').slice(0, 500)
  const isNew = await tokens.wantMore(name, { scope, tool }, signal).catch(() => false)
  if (isNew) onInsufficientScope(name, scope)
  if (tool === undefined) return
  await body?.cancel()
  refusals.remember(call, tool, scope)
  throw lacksScope(name, tool, scope)
}
