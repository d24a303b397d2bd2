/** The placeholders of one start of a server, and the authority that its sandbox trusts. */
import { randomBytes } from 'node:crypto'
import { CordonError } from '../../kernel/error.ts'
import type { Seal, SealedCredential } from '../../ports/egress-port.ts'
import { TOKEN_SIGN } from '../../text/known-tokens.ts'
import { createSealAuthority } from './seal-authority.ts'

/** A field value of HTTP (RFC 9110 §5.5), as Latin-1. */
const FIELD_VALUE = /^[\x21-\x7e\x80-\xff](?:[\t\x20-\x7e\x80-\xff]*[\x21-\x7e\x80-\xff])?$/
/** A longer beginning of a token holds characters of the token itself. */
const LONGEST_PREFIX = 12

export function createSeal(credentials: readonly SealedCredential[], now: () => number): Seal {
  return {
    authority: createSealAuthority(now),
    credentials: credentials.map((credential) => ({
      ...credential,
      placeholder: placeholderFor(credential),
    })),
  }
}

/**
 * Letters and digits after the maker's prefix, by which some servers choose how to sign in: no encoding of URLs or JSON
 * changes it.
 */
function placeholderFor({ name, value }: SealedCredential): string {
  const secret = value().toString('latin1')
  if (!FIELD_VALUE.test(secret)) throw unsealable(name)
  const sign = TOKEN_SIGN.exec(secret)
  const prefix = sign?.index === 0 && sign[0].length <= LONGEST_PREFIX ? sign[0] : ''
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
