/** Turns an app into an HTTP server with limits: slow, endless or too many clients are cut off early. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
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
/** Each program that uses the gateway over HTTP keeps a few open. */
const MOST_CONNECTIONS = 512
const GRACE_MS = 2_000

export type Fetch = (request: Request) => Response | Promise<Response>

/** Answers a path of its own on Node's request and answer, with checks of its own: the app never sees it. */
export type Endpoint = (request: IncomingMessage, response: ServerResponse) => void

export function createHttpServer(): Server {
  const server = createServer(LIMITS)
  server.maxConnections = MOST_CONNECTIONS
  return server
}

export function answerWith(
  server: Server,
  fetch: Fetch,
  log: Log,
  endpoints: ReadonlyMap<string, Endpoint> = new Map(),
): void {
  const listener = getRequestListener(fetch, {
    overrideGlobalObjects: false,
    // Reached only outside the app: a request line or Host that is not a URL, or a thrown value that is not an Error.
    errorHandler: (thrown) => {
      const error = thrown instanceof RequestError ? refusal('host') : thrown
      report(log, error, '')
      const { status, body } = answerTo(error)
      return Response.json(body, { status, headers: SAFE_HEADERS })
    },
  })
  server.on('request', (incoming, outgoing) => {
    const [path = ''] = (incoming.url ?? '').split('?', 1)
    const endpoint = endpoints.get(path)
    if (endpoint) endpoint(incoming, outgoing)
    else void listener(incoming, outgoing)
  })
}

/** For handlers without an app: turns a thrown value into an answer, and sets the safe headers on every answer. */
export function answerSafely(fetch: Fetch, log: Log, alarm: Alarm): Fetch {
  const tell = (error: unknown, request: Request): Response => {
    // A client that disconnected reads no answer, and its abort is not worth a log line.
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

/** Accepts no new connection, gives running requests two seconds, then cuts them off. Never throws. */
export async function closeServer(server: Server): Promise<void> {
  if (!server.listening) return
  const { promise: closed, resolve } = Promise.withResolvers<void>()
  server.close(() => resolve())
  // A connection that finishes its last answer now would otherwise be kept alive for the next request.
  const sweep = setInterval(() => server.closeIdleConnections(), 20)
  const cut = setTimeout(() => server.closeAllConnections(), GRACE_MS)
  await closed
  clearInterval(sweep)
  clearTimeout(cut)
}
