/** The guarded fetch of one profile: it reaches the profile's own host, and no other. */
import type { Egress } from '../ports/egress-port.ts'
import type { ModelProfile } from './model-profiles.ts'

export interface FetchDeps {
  readonly createFetch: Egress['createFetch']
}

export function fetchFor(
  { createFetch }: FetchDeps,
  { url }: ModelProfile,
): typeof globalThis.fetch {
  return createFetch({
    allowedDomains: [url.hostname],
    // Only an address on this machine may be without TLS; other profiles are refused when they are parsed.
    ...(url.protocol === 'http:' && { dangerouslyAllowHttp: true }),
  })
}
