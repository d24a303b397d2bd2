/**
 * Whose token it is, as the provider tells: in the ID token, at its userinfo endpoint, or where the catalog knows. The
 * answer is only shown to people. A provider that does not tell, or not in time, changes nothing about the sign-in.
 */
import type { Egress } from '../../ports/egress-port.ts'
import type { Json } from '../../text/json.ts'
import { accountAt } from '../connection/account-names.ts'
import { createCarefulFetch } from './careful-fetch.ts'
import type { SignedIn } from './sign-in.ts'
import { parseWebPage } from './web-page.ts'

/** OpenID Connect Core, section 5.1; `sub` is no name for people. */
const CLAIMS = ['preferred_username', 'email', 'name'] as const
const PATIENCE_MS = 5000

export async function readAccount(
  createFetch: Egress['createFetch'],
  { grant, identity }: Pick<SignedIn, 'grant' | 'identity'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (grant.account !== undefined || !identity) return grant.account
  try {
    const url = parseWebPage(identity.url)
    const patience = AbortSignal.any([signal, AbortSignal.timeout(PATIENCE_MS)])
    const fetch = createCarefulFetch(createFetch({ allowedDomains: [url.hostname] }), patience)
    const headers = {
      accept: 'application/json',
      authorization: `Bearer ${grant.access_token}`,
      'user-agent': 'Cordon', // GitHub refuses a request without one
    }
    const response = await fetch(url, { headers })
    const told = response.ok ? ((await response.json()) as Json) : undefined
    return identity.field === undefined ? accountInClaims(told) : accountAt(told, identity.field)
  } catch {
    signal.throwIfAborted()
    return undefined
  }
}

export function accountInClaims(claims: Json | undefined): string | undefined {
  for (const claim of CLAIMS) {
    const account = accountAt(claims, claim)
    if (account !== undefined) return account
  }
  return undefined
}

/**
 * The claims are not verified: the token came straight from the token endpoint over TLS (OpenID Connect Core, section
 * 3.1.3.7), and nothing but a shown name comes of them.
 */
export function accountInIdToken(idToken: string): string | undefined {
  try {
    const [, claims = ''] = idToken.split('.')
    return accountInClaims(JSON.parse(Buffer.from(claims, 'base64url').toString()) as Json)
  } catch {
    return undefined
  }
}
