/**
 * Writes DER (X.690 §10), as much of it as one X.509 certificate needs. Pure. Never reads DER, so nothing that comes
 * from outside is parsed here.
 */

const LONGEST_SHORT_LENGTH = 127

/** A value of ASN.1 is written as tag, length, content. */
export function der(tag: number, ...content: readonly Buffer[]): Buffer {
  const body = Buffer.concat(content)
  return Buffer.concat([Buffer.of(tag), lengthOf(body.length), body])
}

export const sequence = (...items: readonly Buffer[]): Buffer => der(0x30, ...items)
export const set = (...items: readonly Buffer[]): Buffer => der(0x31, ...items)
export const octets = (content: Buffer): Buffer => der(0x04, content)
export const text = (value: string): Buffer => der(0x0c, Buffer.from(value))
export const TRUE: Buffer = der(0x01, Buffer.of(0xff))

/** The tag `[number]` around a whole value. */
export const explicit = (number: number, content: Buffer): Buffer => der(0xa0 + number, content)

/** The tag `[number]` in place of the tag of a string. */
export const implicit = (number: number, content: Buffer): Buffer => der(0x80 + number, content)

/** Of bytes in big-endian order; a leading zero keeps a set highest bit from being read as a minus sign. */
export function integer(bytes: Buffer): Buffer {
  const isNegative = (bytes[0] ?? 0) > LONGEST_SHORT_LENGTH
  return der(0x02, ...(isNegative ? [Buffer.of(0)] : []), bytes)
}

/** `unused`: how many of the last bits do not count. */
export function bits(content: Buffer, unused = 0): Buffer {
  return der(0x03, Buffer.of(unused), content)
}

/** `1.2.840.10045.4.3.2`: the first two numbers share a byte, each further one is written in groups of seven bits. */
export function objectId(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number)
  return der(0x06, Buffer.of(first * 40 + second, ...rest.flatMap(groupsOfSeven)))
}

/** UTCTime, which X.509 prescribes for every year before 2050 (RFC 5280 §4.1.2.5). */
export function time(at: number): Buffer {
  const digits = new Date(at).toISOString().replace(/\.\d+/, '').replace(/[-T:]/g, '')
  return der(0x17, Buffer.from(digits.slice(2)))
}

/** Lengths above 127 are preceded by the number of their own bytes. */
function lengthOf(length: number): Buffer {
  if (length <= LONGEST_SHORT_LENGTH) return Buffer.of(length)
  const size = length > 0xff ? 2 : 1
  const bytes = Buffer.alloc(1 + size)
  bytes[0] = 0x80 + size
  bytes.writeUIntBE(length, 1, size)
  return bytes
}

function groupsOfSeven(number: number): readonly number[] {
  const groups = [number % 128]
  for (let left = Math.floor(number / 128); left > 0; left = Math.floor(left / 128)) {
    groups.unshift((left % 128) + 128)
  }
  return groups
}
