/**
 * Writes and signs one X.509 certificate (RFC 5280) for a P-256 key: of an authority, or of a host that it vouches for.
 * Takes keys from its caller and keeps none.
 */
import { createHash, type KeyObject, randomBytes, sign } from 'node:crypto'
import * as asn from './der.ts'

export interface KeyPair {
  readonly publicKey: KeyObject
  readonly privateKey: KeyObject
}

export interface CertificateWish {
  readonly issuer: KeyPair
  readonly subject: KeyObject
  /** The host that the certificate is for; absent: it is the authority's own. */
  readonly host?: string
  readonly from: number
  readonly to: number
}

const ISSUER = 'Cordon, for one sandbox only'
const SUBJECT = 'Cordon, in place of a host'
const ECDSA_WITH_SHA256 = asn.sequence(asn.objectId('1.2.840.10045.4.3.2'))
const COMMON_NAME = asn.objectId('2.5.4.3')
const VERSION_3 = asn.explicit(0, asn.integer(Buffer.of(2)))

/** The certificate as PEM. */
export function writeCertificate(wish: CertificateWish): string {
  const { issuer, subject, host, from, to } = wish
  const body = asn.sequence(
    VERSION_3,
    asn.integer(serialNumber()),
    ECDSA_WITH_SHA256,
    nameOf(ISSUER),
    asn.sequence(asn.time(from), asn.time(to)),
    nameOf(host === undefined ? ISSUER : SUBJECT),
    publicKeyOf(subject),
    asn.explicit(3, asn.sequence(...extensionsOf(issuer, subject, host))),
  )
  const signature = sign('sha256', body, issuer.privateKey)
  const whole = asn.sequence(body, ECDSA_WITH_SHA256, asn.bits(signature))
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? []
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n')
}

function extensionsOf(
  issuer: KeyPair,
  subject: KeyObject,
  host: string | undefined,
): readonly Buffer[] {
  const names = [
    extension('2.5.29.14', asn.octets(keyId(subject))),
    // Strict clients, such as Python's, refuse a certificate that does not name the key of its authority.
    extension('2.5.29.35', asn.sequence(asn.implicit(0, keyId(issuer.publicKey)))),
  ]
  return host === undefined ? [...AUTHORITY, ...names] : [...HOST, ...names, nameExtension(host)]
}

/** An authority that vouches for hosts and for no further authority; it may sign certificates (bit 5). */
const AUTHORITY = [
  critical('2.5.29.19', asn.sequence(asn.TRUE, asn.integer(Buffer.of(0)))),
  critical('2.5.29.15', asn.bits(Buffer.of(0x04), 2)),
]

/** No authority; it may sign handshakes (bit 0), as a server of TLS. */
const HOST = [
  critical('2.5.29.19', asn.sequence()),
  critical('2.5.29.15', asn.bits(Buffer.of(0x80), 7)),
  extension('2.5.29.37', asn.sequence(asn.objectId('1.3.6.1.5.5.7.3.1'))),
]

function nameExtension(host: string): Buffer {
  return extension('2.5.29.17', asn.sequence(asn.implicit(2, Buffer.from(host, 'latin1'))))
}

function extension(id: string, value: Buffer): Buffer {
  return asn.sequence(asn.objectId(id), asn.octets(value))
}

function critical(id: string, value: Buffer): Buffer {
  return asn.sequence(asn.objectId(id), asn.TRUE, asn.octets(value))
}

function nameOf(words: string): Buffer {
  return asn.sequence(asn.set(asn.sequence(COMMON_NAME, asn.text(words))))
}

function keyId(key: KeyObject): Buffer {
  return createHash('sha256').update(publicKeyOf(key)).digest().subarray(0, 20)
}

function publicKeyOf(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' })
}

/** Positive and without a leading zero, whatever the random bytes are. */
function serialNumber(): Buffer {
  const bytes = randomBytes(16)
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40
  return bytes
}
