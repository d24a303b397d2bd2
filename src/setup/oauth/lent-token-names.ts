/** The names of the OAuth tokens that some definition refers to: those that have to be kept fresh. */
import type { Definitions } from '../../kernel/ports.ts'

/** Empty where the definitions cannot be read: a later round looks again. */
export async function lentTokenNames(
  definitions: Pick<Definitions, 'load'>,
): Promise<readonly string[]> {
  const { servers } = await definitions.load().catch(() => ({ servers: [] }))
  const refs = servers.flatMap(({ definition }) => Object.values(definition.auth))
  return [...new Set(refs.filter(({ scheme }) => scheme === 'oauth').map(({ name }) => name))]
}
