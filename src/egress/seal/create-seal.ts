/** The placeholders of one start of a server, and the authority that its sandbox trusts. */
import { randomBytes } from 'node:crypto'
import { CordonError } from '../../kernel/error.ts'
import type { Seal, SealedCredential } from '../../ports/egress-port.ts'
import { createSealAuthority } from './seal-authority.ts'

/** A field value of HTTP (RFC 9110 §5.5), as Latin-1. */
const FIELD_VALUE = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/
/** Public beginnings of tokens, by which some servers choose how to sign in. They are no part of the secret. */
const KNOWN_PREFIX = /^(?:gh[opsu]_|github_pat_|glpat-|ntn_|secret_|xox[abp]-|sk-|lin_api_)/

export function createSeal(credentials: readonly SealedCredential[], now: () => number): Seal {
  return {
    authority: createSealAuthority(now),
    credentials: credentials.map((credential) => ({
      ...credential,
      placeholder: placeholderFor(credential),
    })),
  }
}

/** Letters and digits after the prefix, so that no encoding of URLs or JSON changes it. */
function placeholderFor({ name, value }: SealedCredential): string {
  const secret = value().toString('latin1')
  if (!FIELD_VALUE.test(secret)) throw unsealable(name)
  const [prefix = ''] = KNOWN_PREFIX.exec(secret) ?? []
  return `${prefix}CordonSealed${randomBytes(16).toString('hex')}`
}

function unsealable(name: string): CordonError {
  return new CordonError(
    'egress.unsealable',
    {
      exit: 2,
      hint: `Store ${JSON.stringify(name)} as one line, or run \`cordon mcp edit SERVER --unseal ${name}\``,
    },
    `Cannot seal ${JSON.stringify(name)}: its value does not fit into a header`,
  )
}
