/**
 * Admits or refuses a request to a listener by its request line and headers alone: pure, and before a body is read.
 * Each comparison is with one exact text, so a header sent twice (joined by a comma) fails too. Never looks at
 * credentials; those are `session-gate.ts`.
 */
import type { Reason } from './refusal.ts'

export type RequestHead = Pick<Request, 'method' | 'url' | 'headers'>

const JSON_TYPE = /^application\/json(?:; ?charset=utf-8)?$/i

/** The page's listener: any program and any website on this machine can send to it. */
export function decidePageRequest(request: RequestHead, port: number): Reason | undefined {
  const { headers, method } = request
  // The Host list is what stops DNS rebinding: a foreign name that resolves to 127.0.0.1 is still foreign.
  if (!isFor(request, [`127.0.0.1:${port}`, `localhost:${port}`])) return 'host'
  if (method === 'GET') return isApi(request) ? 'method' : undefined
  if (method !== 'POST') return 'method'
  if (headers.get('origin') !== `http://${headers.get('host')}`) return 'origin'
  // Sec-Fetch-Site is absent in old browsers; if present, no script can forge it.
  if ((headers.get('sec-fetch-site') ?? 'same-origin') !== 'same-origin') return 'fetch-site'
  const isFitting = isForm(request) ? hasForm(headers) : hasJson(headers)
  return isFitting ? undefined : 'content-type'
}

/** The Unix socket: its mode admits only the owner; these checks refuse a browser that was tricked into using it. */
export function decideSocketRequest(request: RequestHead): Reason | undefined {
  if (!isFor(request, ['cordon'])) return 'host'
  if (request.method !== 'POST') return 'method'
  if (request.headers.has('origin')) return 'origin'
  return hasJson(request.headers) ? undefined : 'content-type'
}

/** Also refuses a request line in absolute form (RFC 9112, section 3.2.2) with another host than the Host header. */
function isFor(request: RequestHead, hosts: readonly string[]): boolean {
  const host = request.headers.get('host') ?? ''
  return hosts.includes(host) && new URL(request.url).origin === `http://${host}`
}

function isApi(request: RequestHead): boolean {
  return new URL(request.url).pathname.startsWith('/api/')
}

/** The paths to which a browser posts an HTML form. */
function isForm(request: RequestHead): boolean {
  const { pathname } = new URL(request.url)
  return pathname.startsWith('/credential/') || pathname === '/oauth/authorize'
}

function hasForm(headers: Headers): boolean {
  return headers.get('content-type') === 'application/x-www-form-urlencoded'
}

function hasJson(headers: Headers): boolean {
  return JSON_TYPE.test(headers.get('content-type') ?? '')
}
