/**
 * Whether a request inside a sealed connection is one that two parsers read alike, for the host of the connection, and
 * the headers it is passed on with. Node's parser has refused most oddities before: a repeated length, a length beside
 * chunks, a line break in a value. Pure.
 */
import type { IncomingMessage } from 'node:http'

export interface BadRequest {
  readonly status: 400 | 421
  readonly reason: string
}

/** Belong to one connection and not to the request (RFC 9110 §7.6.1), so they are not passed on. */
const OF_CONNECTION = new Set(
  'connection keep-alive proxy-connection proxy-authorization te trailer upgrade'.split(' '),
)
/** Of an answer: Node writes its own. `keep-alive` is passed on, so that the client knows how long the host waits. */
const FRAMING = OF_CONNECTION.difference(new Set(['keep-alive'])).add('transfer-encoding')
const BODILESS = new Set(['GET', 'HEAD', 'DELETE', 'OPTIONS'])

type Request = Pick<IncomingMessage, 'method' | 'url' | 'headers' | 'rawHeaders'>

export function judgeRequest(request: Request, host: string): BadRequest | undefined {
  const { method, rawHeaders } = request
  // Its answer repeats the request with all its headers in the body (RFC 9110 §9.3.8), and so the value.
  if (method === 'TRACE') return { status: 400, reason: 'a request that asks to be repeated' }
  const hosts = valuesOf(rawHeaders, 'host').map((value) => value.toLowerCase())
  if (hosts.length !== 1) return { status: 400, reason: 'request without one Host' }
  if (![host, `${host}:443`].includes(hosts[0] ?? '')) {
    return { status: 421, reason: 'HTTP asks for another host' }
  }
  if (!request.url?.startsWith('/')) return { status: 400, reason: 'request for no path' }
  const isPlain = valuesOf(rawHeaders, 'transfer-encoding').every(isChunked)
  return isPlain ? undefined : { status: 400, reason: 'unknown transfer encoding' }
}

function isChunked(coding: string): boolean {
  return coding.toLowerCase() === 'chunked'
}

export function isWebSocket({ headers, method }: Pick<Request, 'headers' | 'method'>): boolean {
  return method === 'GET' && headers.upgrade?.toLowerCase() === 'websocket'
}

/** Names and values in turn. */
export function headersToHost(request: Request): readonly string[] {
  const { method = 'GET', rawHeaders } = request
  const kept = without(rawHeaders, OF_CONNECTION)
  const hasLength = ['content-length', 'transfer-encoding'].some(
    (name) => valuesOf(kept, name).length > 0,
  )
  if (isWebSocket(request)) return [...kept, 'Connection', 'Upgrade', 'Upgrade', 'websocket']
  return hasLength || BODILESS.has(method) ? kept : [...kept, 'Content-Length', '0']
}

export function headersToClient(raw: readonly string[]): readonly string[] {
  return without(raw, FRAMING)
}

function valuesOf(raw: readonly string[], name: string): readonly string[] {
  return raw.filter((_, index) => index % 2 === 1 && raw[index - 1]?.toLowerCase() === name)
}

function without(raw: readonly string[], names: ReadonlySet<string>): readonly string[] {
  const kept: string[] = []
  for (let at = 0; at + 1 < raw.length; at += 2) {
    const [name = '', value = ''] = [raw[at], raw[at + 1]]
    if (!names.has(name.toLowerCase())) kept.push(name, value)
  }
  return kept
}
