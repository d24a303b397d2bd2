/**
 * Remembers scopes that a service asked for beyond its token's (403 `insufficient_scope`). They are stored with the
 * token, so that the next sign-in requests them; storing grants nothing, and a new token clears them.
 */
import type { TokenStore } from './token-store.ts'

/** False if none of the scopes is new. */
export async function wantMore(
  tokenStore: TokenStore,
  name: string,
  scope: string,
  signal: AbortSignal,
): Promise<boolean> {
  const remember = async (): Promise<boolean> => {
    const token = await tokenStore.read(name, signal)
    const known = unionOf(token.scope, token.wanted_scope)
    if (unionOf(known, scope) === known) return false
    await tokenStore.write(name, { ...token, wanted_scope: unionOf(token.wanted_scope, scope) })
    return true
  }
  return await tokenStore.exclusively(name, remember, signal)
}

/** The granted scopes and the wanted ones; undefined if none are wanted, or if the token cannot be read now. */
export async function widerScope(
  tokenStore: Pick<TokenStore, 'find'>,
  name: string,
): Promise<string | undefined> {
  const token = await tokenStore.find(name, new AbortController().signal).catch(() => undefined)
  return token?.wanted_scope && unionOf(token.scope, token.wanted_scope)
}

/** Space-separated, without duplicates. */
export function unionOf(...scopes: readonly (string | undefined)[]): string {
  return [...new Set(scopes.join(' ').split(' ').filter(Boolean))].join(' ')
}
