/**
 * The next request of a redirect, by the rules of the Fetch standard and stricter: another origin gets only headers
 * that cannot hold a credential and never a body, and plain http is followed only within the same origin. Pure.
 */
import { CordonError } from '../../kernel/error.ts'

type Body = NonNullable<RequestInit['body']> | null

export interface Hop {
  readonly url: URL
  readonly method: string
  readonly headers: Headers
  readonly body: Body
}

const REDIRECTS = new Set([301, 302, 303, 307, 308])
const ABOUT_CONTENT = ['content-encoding', 'content-language', 'content-location', 'content-type']
/** An allow-list of headers, not a deny-list: servers put API keys into headers of any name. */
const HARMLESS = new Set([
  'accept',
  'accept-language',
  'content-type',
  'mcp-protocol-version',
  'user-agent',
])

/** Undefined if the response is not a redirect. */
export function nextHop(hop: Hop, status: number, location: string | null): Hop | undefined {
  if (!REDIRECTS.has(status) || location === null) return undefined
  const url = parseLocation(location, hop.url)
  const isHome = url.origin === hop.url.origin
  const headers = isHome ? new Headers(hop.headers) : harmless(hop.headers)
  if (becomesGet(hop.method, status)) {
    for (const name of ABOUT_CONTENT) headers.delete(name)
    return { url, method: 'GET', headers, body: null }
  }
  if (!isHome && hop.body !== null) throw refused(hop.url, 'its content would go to another host')
  if (canSendAgain(hop.body)) return { ...hop, url, headers }
  throw refused(hop.url, 'its content cannot be sent twice')
}

/** Whether the body can be sent twice: a stream cannot. */
export function canSendAgain(body: Body): boolean {
  return body === null || typeof body === 'string' || ArrayBuffer.isView(body)
}

function parseLocation(location: string, base: URL): URL {
  if (!URL.canParse(location, base.href)) throw refused(base, 'it leads nowhere')
  const url = new URL(location, base)
  if (url.protocol === 'http:' && url.origin !== base.origin) {
    throw refused(base, 'it leads to plain http')
  }
  return url
}

function becomesGet(method: string, status: number): boolean {
  if (status === 303) return method !== 'GET' && method !== 'HEAD'
  return (status === 301 || status === 302) && method === 'POST'
}

function harmless(headers: Headers): Headers {
  return new Headers([...headers].filter(([name]) => HARMLESS.has(name)))
}

function refused({ hostname }: URL, why: string): CordonError {
  return new CordonError(
    'egress.redirect',
    { exit: 5, hint: 'Ask whoever runs the host for the address it really answers at' },
    `Cannot follow a redirect of ${JSON.stringify(hostname)}: ${why}`,
  )
}
