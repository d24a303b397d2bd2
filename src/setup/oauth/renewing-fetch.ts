/**
 * Keeps remote servers signed in while they are used: a request that carries a token of ours goes out with the newest one,
 * and a refused one (401) is sent again, once, with a token that was renewed for it. A session lives on through that,
 * and no call is lost. Requests with any other token, or none, pass as they are.
 */
import type { Vault } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { Fetch } from './careful-fetch.ts'
import type { OAuthTokens } from './create-tokens.ts'
import { openLentTokens, type LentTokens } from './lent-tokens.ts'
import { hashToken } from './stored-token.ts'

export interface RenewingFetchParts {
  readonly tokens: Pick<OAuthTokens, 'freshness' | 'refreshAfter401' | 'nameOf' | 'ensureFresh'>
  readonly vault: Pick<Vault, 'lease'>
  readonly owner: PrincipalId
  /** The service wants permissions that this token does not have (403 `insufficient_scope`). */
  readonly onInsufficientScope: (name: string, scope: string) => void
}

export interface RenewingFetch extends AsyncDisposable {
  wrap(fetch: Fetch): Fetch
}

export function createRenewingFetch(parts: RenewingFetchParts): RenewingFetch {
  const lent = openLentTokens(parts)
  return {
    wrap: (fetch) => async (input, init) => {
      const used = bearerOf(init)
      const name = used === undefined ? undefined : parts.tokens.nameOf(hashToken(used))
      if (used === undefined || name === undefined) return await fetch(input, init)
      const send = (token: string): Promise<Response> => fetch(input, withBearer(init, token))
      return await sendFresh({ ...parts, lent }, { name, used, send, init })
    },
    [Symbol.asyncDispose]: () => lent[Symbol.asyncDispose](),
  }
}

interface Sending {
  readonly name: string
  readonly used: string
  readonly send: (token: string) => Promise<Response>
  readonly init: RequestInit | undefined
}

async function sendFresh(
  parts: RenewingFetchParts & { readonly lent: LentTokens },
  { name, used, send, init }: Sending,
): Promise<Response> {
  const { tokens, lent } = parts
  const signal = init?.signal ?? new AbortController().signal
  await tokens.ensureFresh(name, signal)
  const token = await lent.newest(name, used, signal)
  const response = await send(token)
  if (response.status === 403) tellScope(parts, name, response)
  if (response.status !== 401 || !canSendAgain(init)) return response
  const fresh = await tokens.refreshAfter401(name, hashToken(token), signal)
  if (fresh.kind !== 'fresh') return response
  await response.body?.cancel()
  return await send(await lent.newest(name, token, signal))
}

/** A stream is gone once it was read. */
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

/** As RFC 6749 spells scopes; anything else is not repeated to people. */
const SCOPE = /scope="([!#-[\]-~]+(?: [!#-[\]-~]+)*)"/

function tellScope(parts: RenewingFetchParts, name: string, { headers }: Response): void {
  const challenge = headers.get('www-authenticate') ?? ''
  if (!/error="?insufficient_scope\b/.test(challenge)) return
  parts.onInsufficientScope(name, (SCOPE.exec(challenge)?.[1] ?? '').slice(0, 500))
}
