/**
 * The name a TLS client asks for, read from its first message (RFC 8446 §4.1.2, RFC 6066 §3).
 * Pure and total: any bytes get an answer. It never decides whether a name is allowed, and decrypts nothing.
 *
 *   record    22 · version · length │ a part of the message
 *   message   1 · length │ version, random, session, ciphers, compression, extensions
 */

export type ClientHello =
  | { readonly kind: 'more' }
  | { readonly kind: 'hello'; readonly serverName: string }
  | { readonly kind: 'bad'; readonly reason: string }

const HANDSHAKE = 22
const CLIENT_HELLO = 1
const RECORD_HEADER = 5
const MESSAGE_HEADER = 4
const LONGEST_RECORD = 16_384
/** A client that splits its hello needs two or three records; every further record makes the proxy parse again. */
const MOST_RECORDS = 16
const VERSION_AND_RANDOM = 34
const SERVER_NAME = 0
/** Hold the real server name encrypted, which the proxy cannot read: ECH (RFC 9849), its drafts, and ESNI before them. */
const HIDDEN_NAMES = new Set([0xfe0d, 0xfe08, 0xfe09, 0xfe0a, 0xfe0b, 0xfe0c, 0xffce])

const EMPTY = Buffer.alloc(0)
const MORE: ClientHello = { kind: 'more' }

export function parseClientHello(bytes: Buffer): ClientHello {
  const parts: Buffer[] = []
  let have = 0
  for (let at = 0; at < bytes.length; ) {
    const record = readRecord(bytes, at)
    if (record === 'bad') return bad('not TLS')
    if (record === 'more') return MORE
    if (parts.length === MOST_RECORDS) return bad('a ClientHello in too many pieces')
    parts.push(record)
    have += record.length
    at += RECORD_HEADER + record.length
    const first = parts[0] ?? record
    const message = parts.length === 1 ? first : Buffer.concat(parts, have)
    if (message[0] !== CLIENT_HELLO) return bad('not a TLS ClientHello')
    if (have < MESSAGE_HEADER) continue
    const end = MESSAGE_HEADER + message.readUIntBE(1, 3)
    if (have >= end) return readMessage(message.subarray(MESSAGE_HEADER, end))
  }
  return MORE
}

/** The content of the record at this offset. A bad record is refused from its first bytes, before it is complete. */
function readRecord(bytes: Buffer, at: number): Buffer | 'more' | 'bad' {
  if (bytes[at] !== HANDSHAKE) return 'bad'
  if (at + 1 < bytes.length && bytes[at + 1] !== 3) return 'bad'
  if (at + RECORD_HEADER > bytes.length) return 'more'
  const length = bytes.readUInt16BE(at + 3)
  if (length === 0 || length > LONGEST_RECORD) return 'bad'
  const start = at + RECORD_HEADER
  return start + length > bytes.length ? 'more' : bytes.subarray(start, start + length)
}

function readMessage(body: Buffer): ClientHello {
  const reader = new Reader(body)
  reader.take(VERSION_AND_RANDOM)
  reader.takeVector(1) // session
  reader.takeVector(2) // ciphers
  reader.takeVector(1) // compression
  const extensions = new Reader(reader.takeVector(2))
  let names: Buffer | undefined
  while (extensions.left > 0) {
    const type = extensions.takeNumber(2)
    const content = extensions.takeVector(2)
    if (HIDDEN_NAMES.has(type)) return bad('hidden server name (ECH)')
    if (type !== SERVER_NAME) continue
    if (names !== undefined) return bad('two server names')
    names = content
  }
  if (reader.failed || extensions.failed || reader.left > 0) return bad('malformed ClientHello')
  return names === undefined ? bad('no server name (SNI)') : readServerName(names)
}

function readServerName(content: Buffer): ClientHello {
  const outer = new Reader(content)
  const list = new Reader(outer.takeVector(2))
  const type = list.takeNumber(1)
  const name = list.takeVector(2).toString('latin1').toLowerCase()
  if (outer.failed || outer.left > 0 || list.failed || list.left > 0 || type !== 0) {
    return bad('malformed server name')
  }
  return { kind: 'hello', serverName: name }
}

/** Reads bytes from the front. A read past the end returns empty bytes and sets `failed`. */
class Reader {
  failed = false
  readonly #bytes: Buffer
  #at = 0

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  get left(): number {
    return this.#bytes.length - this.#at
  }

  take(size: number): Buffer {
    this.failed ||= size > this.left
    const start = this.#at
    this.#at = this.failed ? this.#bytes.length : start + size
    return this.failed ? EMPTY : this.#bytes.subarray(start, this.#at)
  }

  takeNumber(size: number): number {
    const start = this.#at
    return this.take(size) === EMPTY ? 0 : this.#bytes.readUIntBE(start, size)
  }

  /** A length of `size` bytes, then as many bytes as that length. */
  takeVector(size: number): Buffer {
    return this.take(this.takeNumber(size))
  }
}

function bad(reason: string): ClientHello {
  return { kind: 'bad', reason }
}
