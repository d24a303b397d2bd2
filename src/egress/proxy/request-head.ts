/**
 * Parses a request to the proxy: `CONNECT name:port`, and nothing else. Pure and total. Never repairs a request: one
 * that two parsers could read differently is refused as malformed.
 */
import { type HostPort, parseHostName, parseHostPort } from '../reach/host-name.ts'

export type RequestHead =
  | { readonly kind: 'more' }
  /** The bytes after the first `length` belong to the tunnel. */
  | { readonly kind: 'connect'; readonly target: HostPort; readonly length: number }
  | {
      readonly kind: 'refused'
      readonly status: 400 | 403
      readonly reason: string
      /** For people: the host that the request tried to reach, as far as it can be read. */
      readonly host: string
    }

const END = '\r\n\r\n'
/** Python's client still sends HTTP/1.0, and for CONNECT there is no difference. */
const CONNECT_LINE = /^CONNECT ([^ ]+) HTTP\/1\.[01]$/
const PLAIN_LINE = /^[A-Z]+ http:\/\/([^/?# ]*)[^ ]* HTTP\/1\.[01]$/
const HEADER_LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t\x20-\x7e\x80-\xff]*$/
/** A CONNECT has no content; these headers are used for request smuggling. */
const NO_CONTENT = new Set(['content-length', 'transfer-encoding'])

export function parseRequestHead(bytes: Buffer): RequestHead {
  const end = bytes.indexOf(END)
  if (end < 0) return { kind: 'more' }
  const [line = '', ...headers] = bytes.toString('latin1', 0, end).split('\r\n')
  const target = CONNECT_LINE.exec(line)?.[1]
  if (target === undefined) return refuseLine(line)
  const parsed = parseHostPort(target)
  if (parsed === undefined) return malformed(target)
  if (!areSound(headers)) return malformed(parsed.host)
  return { kind: 'connect', target: parsed, length: end + END.length }
}

/** Sanitises untrusted text for a log: printable ASCII without spaces, and no longer than a name can be. */
export function showHost(text: string): string {
  return text.replace(/[^\x21-\x7e]/g, '?').slice(0, 253) || '(no name)'
}

function refuseLine(line: string): RequestHead {
  const authority = PLAIN_LINE.exec(line)?.[1]
  if (authority === undefined) return malformed(line.split(' ')[1] ?? '')
  const host = parseHostPort(authority)?.host ?? parseHostName(authority)
  if (host === undefined) return malformed(authority)
  return { kind: 'refused', status: 403, reason: 'plain http is not allowed', host }
}

function areSound(headers: readonly string[]): boolean {
  let hosts = 0
  for (const header of headers) {
    const name = HEADER_LINE.exec(header)?.[1]?.toLowerCase()
    if (name === undefined || NO_CONTENT.has(name)) return false
    if (name === 'host') hosts += 1
  }
  return hosts <= 1
}

function malformed(host: string): RequestHead {
  return { kind: 'refused', status: 400, reason: 'malformed request', host: showHost(host) }
}
