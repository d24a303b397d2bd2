/**
 * `/healthz` and `/readyz` for supervisors and load balancers: alive as soon as the port is open, ready once all rooms are.
 * They tell one word and nothing about the home, so they need no credential; a foreign Host is refused all the same.
 */
import type { Endpoint } from './http-server.ts'
import { SAFE_HEADERS } from './headers.ts'

export interface Health {
  readonly endpoints: ReadonlyMap<string, Endpoint>
  /** From here on `/readyz` says so. */
  markReady(): void
  /** The kernel is about to end: no new work should come. */
  markDraining(): void
}

export function createHealth(): Health {
  let state: 'starting' | 'ready' | 'draining' = 'starting'
  const answer =
    (tell: () => readonly [number, string]): Endpoint =>
    (request, response) => {
      const host = request.headers.host
      const own = request.socket.localPort
      const isOwn = host === `127.0.0.1:${own}` || host === `localhost:${own}`
      const [status, word] = isOwn ? tell() : [403, 'foreign host']
      response.writeHead(status, { ...SAFE_HEADERS, 'Content-Type': 'text/plain' })
      response.end(`${word}\n`)
    }
  return {
    endpoints: new Map([
      ['/healthz', answer(() => [200, 'ok'])],
      ['/readyz', answer(() => (state === 'ready' ? [200, 'ready'] : [503, state]))],
    ]),
    markReady() {
      state = 'ready'
    },
    markDraining() {
      state = 'draining'
    },
  }
}
