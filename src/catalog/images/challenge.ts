/** The header of a registry that wants a token first (RFC 6750, and the token protocol of OCI registries). Pure. */

export interface Challenge {
  readonly realm: string
  readonly service?: string
}

const PART = /(\w+)="([^"]*)"/g

/** Undefined unless a token is to be had: `Basic` wants a login. */
export function readChallenge(header: string): Challenge | undefined {
  if (!/^bearer\s/i.test(header) || header.length > 4096) return undefined
  const parts = new Map(
    Array.from(header.matchAll(PART), ([, key = '', value = '']) => [key, value]),
  )
  const realm = parts.get('realm')
  const service = parts.get('service')
  return realm === undefined ? undefined : { realm, ...(service !== undefined && { service }) }
}
