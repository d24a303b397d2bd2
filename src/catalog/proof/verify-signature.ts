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

/** 'good' if one of the keys signed it; 'bad' if one is named and did not; 'unknown' if none is named. */
export function verifySignature(
  { name, version, integrity, publishedAt = '', signatures }: Signed,
  keys: readonly RegistryKey[],
): 'good' | Extract<SignatureVerdict, 'bad' | 'unknown' | 'none'> {
  if (signatures.length === 0) return 'none'
  const message = Buffer.from(`${name}@${version}:${integrity}`)
  const results = signatures.flatMap(({ keyid, sig }) => {
    const known = keys.find((one) => one.keyid === keyid)
    return known ? [isSigned(known, message, sig) && !isLate(known, publishedAt)] : []
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

function isLate({ expires }: RegistryKey, publishedAt: string): boolean {
  return expires !== undefined && Date.parse(publishedAt) >= Date.parse(expires)
}
