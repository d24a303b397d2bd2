/**
 * What a service asked for besides what its token allows (403 `insufficient_scope`). It is remembered with the token, so
 * that the next sign-in asks for it; nothing is granted by remembering it, and a new token forgets it.
 */
import type { TokenShelf } from './token-shelf.ts'

/** False where nothing of it is new. */
export async function wantMore(
  shelf: TokenShelf,
  name: string,
  scope: string,
  signal: AbortSignal,
): Promise<boolean> {
  const remember = async (): Promise<boolean> => {
    const token = await shelf.read(name, signal)
    const known = unionOf(token.scope, token.wanted_scope)
    if (unionOf(known, scope) === known) return false
    await shelf.write(name, { ...token, wanted_scope: unionOf(token.wanted_scope, scope) })
    return true
  }
  return await shelf.exclusively(name, remember, signal)
}

/** All that was granted, and what is wanted besides; undefined where nothing is, or where nobody can tell now. */
export async function widerScope(
  shelf: Pick<TokenShelf, 'find'>,
  name: string,
): Promise<string | undefined> {
  const token = await shelf.find(name, new AbortController().signal).catch(() => undefined)
  return token?.wanted_scope && unionOf(token.scope, token.wanted_scope)
}

/** Space-separated, each once. */
export function unionOf(...scopes: readonly (string | undefined)[]): string {
  return [...new Set(scopes.join(' ').split(' ').filter(Boolean))].join(' ')
}
