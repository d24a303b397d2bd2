/** Sends requests for made-up https hosts to one server on loopback, as a TLS-terminating proxy would. */
import type { Egress } from '../../src/ports/egress-port.ts'

/** Stands for the guarded fetch: allows https to the hosts on the allow-list, all of which are one local server. */
export function createLoopbackFetch(port: number): Egress['createFetch'] {
  return ({ allowedDomains }) =>
    async (input, init) => {
      const url = new URL(input instanceof Request ? input.url : input)
      const isAllowed = url.protocol === 'https:' && allowedDomains.includes(url.hostname)
      if (!isAllowed) throw new Error(`${url.protocol}//${url.hostname} is not allowed`)
      return await fetchOnLoopback(port, url, init)
    }
}

/** Forwards the request as a TLS-terminating proxy would, with the original host and protocol in headers. */
export async function fetchOnLoopback(
  port: number,
  url: URL,
  init: RequestInit = {},
): Promise<Response> {
  const headers = new Headers(init.headers)
  headers.set('x-forwarded-proto', 'https')
  headers.set('x-forwarded-host', url.hostname)
  return await fetch(`http://127.0.0.1:${port}${url.pathname}${url.search}`, { ...init, headers })
}
