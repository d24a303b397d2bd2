/**
 * A certificate authority for one sandbox. Its key exists only in memory and ends with the server's process; only that
 * sandbox is told to trust it. Each host gets a certificate of a day, made when the host is first reached.
 */
import { generateKeyPairSync } from 'node:crypto'
import { createSecureContext, type SecureContext } from 'node:tls'
import type { SealAuthority } from '../../ports/egress-port.ts'
import { type KeyPair, writeCertificate } from './certificate.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A server may run for months, and reads the authority once, at its start. */
const AUTHORITY_MS = 365 * DAY_MS
/** A wildcard lets a server make up names. */
const MOST_HOSTS = 64

interface Kept {
  readonly context: SecureContext
  readonly until: number
}

export function createSealAuthority(now: () => number): SealAuthority {
  const issuer = newKeys()
  const host = newKeys()
  const key = host.privateKey.export({ type: 'pkcs8', format: 'pem' })
  const kept = new Map<string, Kept>()
  const start = now()
  const certify = (name: string, at: number): Kept => {
    const times = { from: at - HOUR_MS, to: at + DAY_MS }
    const cert = writeCertificate({ issuer, subject: host.publicKey, host: name, ...times })
    return { context: createSecureContext({ key, cert }), until: at + DAY_MS / 2 }
  }
  return {
    certificate: writeCertificate({
      issuer,
      subject: issuer.publicKey,
      from: start - HOUR_MS,
      to: start + AUTHORITY_MS,
    }),
    contextFor(name) {
      const at = now()
      const known = kept.get(name)
      if (known && at < known.until) return known.context
      const [oldest] = kept.keys()
      if (oldest !== undefined && kept.size >= MOST_HOSTS) kept.delete(oldest)
      const made = certify(name, at)
      kept.set(name, made)
      return made.context
    },
  }
}

function newKeys(): KeyPair {
  return generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
}
