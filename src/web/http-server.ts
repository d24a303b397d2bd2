/** Turns an app into an HTTP server with limits: slow, endless or too many clients end before they cost anything. */
import { createServer, type Server } from 'node:http'
import { getRequestListener, RequestError } from '@hono/node-server'
import type { Log } from '../kernel/ports.ts'
import type { Alarm } from './alarm.ts'
import { answerTo, report } from './answer-error.ts'
import { SAFE_HEADERS } from './headers.ts'
import { refusal } from './refusal.ts'

const LIMITS = {
  maxHeaderSize: 16 * 1024,
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 2_000,
}
const MOST_CONNECTIONS = 64
const GRACE_MS = 2_000

export type Fetch = (request: Request) => Response | Promise<Response>

export function createHttpServer(): Server {
  const server = createServer(LIMITS)
  server.maxConnections = MOST_CONNECTIONS
  return server
}

export function answerWith(server: Server, fetch: Fetch, log: Log): void {
  const listener = getRequestListener(fetch, {
    overrideGlobalObjects: false,
    // Reached only where the app is not: a request line or Host that is no URL, or what was thrown is no Error.
    errorHandler: (thrown) => {
      const error = thrown instanceof RequestError ? refusal('host') : thrown
      report(log, error, '')
      const { status, body } = answerTo(error)
      return Response.json(body, { status, headers: SAFE_HEADERS })
    },
  })
  server.on('request', (incoming, outgoing) => void listener(incoming, outgoing))
}

/** For what answers without an app of its own: whatever it throws becomes an answer, and each has the safe headers. */
export function answerSafely(fetch: Fetch, log: Log, alarm: Alarm): Fetch {
  const tell = (error: unknown, request: Request): Response => {
    // A caller that went away is no news, and reads no answer.
    if (!request.signal.aborted) report(log, error, new URL(request.url).pathname)
    const { status, body } = answerTo(error)
    alarm(body.error.code)
    return Response.json(body, { status })
  }
  return async (request) => {
    const response = await Promise.try(fetch, request).catch((error) => tell(error, request))
    for (const [name, value] of Object.entries(SAFE_HEADERS)) response.headers.set(name, value)
    return response
  }
}

/** Takes nothing new, gives what is running two seconds, then cuts it off. Never throws. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  // A connection that finishes its last answer now would else be kept alive for another.
  const sweep = setInterval(() => server.closeIdleConnections(), 20)
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}
