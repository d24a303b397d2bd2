/** The registry's signature over one archive: ECDSA (P-256, SHA-256) over `name@version:integrity`. Pure. */
import { createPublicKey, verify } from 'node:crypto'
import type { ProofJob, SignatureVerdict } from './proof-job.ts'

export interface RegistryKey {
  readonly keyid: string
  /** SPKI, base64. */
  readonly key: string
  /** ISO time; signatures of versions that were published later do not count. */
  readonly expires?: string
}

type Signed = Pick<ProofJob, 'name' | 'version' | 'integrity' | 'publishedAt' | 'signatures'>

/**
 * 'good' if one of the keys signed it; 'bad' if one is named and did not; 'unknown' if none is named that counts: an
 * expired key signed what was published before, which a version without a time cannot show.
 */
export function verifySignature(
  { name, version, integrity, publishedAt, signatures }: Signed,
  keys: readonly RegistryKey[],
  now: number,
): 'good' | Extract<SignatureVerdict, 'bad' | 'unknown' | 'none'> {
  if (signatures.length === 0) return 'none'
  const message = Buffer.from(`${name}@${version}:${integrity}`)
  const results = signatures.flatMap(({ keyid, sig }) => {
    const known = keys.find((one) => one.keyid === keyid)
    if (!known) return []
    if (!isSigned(known, message, sig)) return [false]
    const isLate = isLateFor(known, { publishedAt, now })
    return isLate === undefined ? [] : [!isLate]
  })
  if (results.length === 0) return 'unknown'
  return results.every(Boolean) ? 'good' : 'bad'
}

function isSigned({ key }: RegistryKey, message: Buffer, sig: string): boolean {
  try {
    const spki = createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
    return verify('sha256', message, spki, Buffer.from(sig, 'base64'))
  } catch {
    return false
  }
}

interface Times {
  readonly publishedAt: string | undefined
  readonly now: number
}

/** Undefined if the key has expired and nothing says when the version was published. */
function isLateFor({ expires }: RegistryKey, { publishedAt, now }: Times): boolean | undefined {
  if (!expires) return false
  const end = Date.parse(expires)
  if (publishedAt === undefined) return now < end ? false : undefined
  return !(Date.parse(publishedAt) < end)
}
