/**
 * The scopes that a definition declares, or that calls of these tools were refused for want of, and that its token was
 * not granted. Only a sign-in tells what it granted: the declared scopes of a pasted token are unknown, and so are those
 * of a provider that names none; both are left to the service.
 */
import type { ServerDefinition } from '../kernel/server-definition.ts'
import type { Tokens, TokenStatus } from '../ports/setup-port.ts'

export async function missingScopes(
  tokens: Pick<Tokens, 'status'>,
  { auth, scopes }: Pick<ServerDefinition, 'auth' | 'scopes'>,
  tools: readonly string[] = [],
): Promise<readonly string[]> {
  const refs = Object.values(auth).filter(({ scheme }) => scheme === 'oauth')
  if (refs.length === 0 || (scopes.length === 0 && tools.length === 0)) return []
  const names = new Set(refs.map(({ name }) => name))
  const used = (await tokens.status()).filter(({ name }) => names.has(name))
  return [...new Set(used.flatMap((token) => missingIn(token, scopes, tools)))]
}

function missingIn(
  { scope, wanted = {} }: TokenStatus,
  scopes: readonly string[],
  tools: readonly string[],
): readonly string[] {
  const granted = new Set(scope?.split(/[\s,]+/))
  const refused = tools.flatMap((tool) => (Object.hasOwn(wanted, tool) ? [wanted[tool]] : []))
  const needed = [...(scope === undefined ? [] : scopes), ...refused.join(' ').split(' ')]
  return needed.filter((one) => one !== '' && !granted.has(one))
}
