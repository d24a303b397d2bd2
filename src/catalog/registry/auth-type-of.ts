/** The kind of credentials that a service needs, as far as its description says. Pure. */
import type { FoundService } from '../../ports/catalog-port.ts'
import type { Service } from '../../ports/service-facts.ts'

export function authTypeOf({ origin, credentials, oauth }: Service): FoundService['auth'] {
  if (origin === 'catalog' && oauth.length > 0) return 'oauth'
  const keys = credentials.map(({ key }) => key.toUpperCase())
  const has = (ending: string): boolean => keys.some((key) => key.endsWith(ending))
  if (has('CLIENT_ID') && has('CLIENT_SECRET')) return 'oauth'
  // The optional bearer token of a plain address is not a declared credential.
  const declared = credentials.filter(({ key, required }) => required || key !== 'bearer')
  return declared.some(({ secret }) => secret !== undefined) ? 'api_key' : 'none'
}
