/**
 * Remembers scopes that a service asked for beyond its token's (403 `insufficient_scope`). They are stored with the
 * token, so that the next sign-in requests them; storing grants nothing, and a new token clears them.
 */
import type { TokenStore } from './token-store.ts'

export interface WantedScope {
  readonly scope: string
  /** The tool whose call was refused; undefined if it is not known which. */
  readonly tool?: string | undefined
}

const MOST_TOOLS = 100

/** False if none of the scopes is new. */
export async function wantMore(
  tokenStore: TokenStore,
  name: string,
  wanted: WantedScope,
  signal: AbortSignal,
): Promise<boolean> {
  const remember = async (): Promise<boolean> => {
    const token = await tokenStore.read(name, signal)
    const known = unionOf(token.scope, token.wanted_scope)
    const isNew = unionOf(known, wanted.scope) !== known
    const before = token.wanted_by ?? {}
    const wanted_by = withTool(before, wanted)
    if (!isNew && wanted_by === before) return false
    const wanted_scope = isNew ? unionOf(token.wanted_scope, wanted.scope) : token.wanted_scope
    await tokenStore.write(name, { ...token, wanted_scope, wanted_by })
    return isNew
  }
  return await tokenStore.exclusively(name, remember, signal)
}

function withTool(
  known: Readonly<Record<string, string>>,
  { scope, tool }: WantedScope,
): Readonly<Record<string, string>> {
  const isKnown = tool === undefined || scope === '' || known[tool] === scope
  if (isKnown || Object.keys(known).length >= MOST_TOOLS) return known
  return { ...known, [tool]: scope }
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
