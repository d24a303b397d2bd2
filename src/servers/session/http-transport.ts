/**
 * The SDK's HTTP transports over a fetch that `egress/` guards: to the hosts of a remote server, or to a socket of
 * this machine. A token travels in a header and nowhere else. An endless answer is cut off, and fails its call.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import { ConnectionLost, NOT_WHOLE } from './failure.ts'
import { isJsonObject } from './json-bounds.ts'
import { limitBody } from './limit-body.ts'

export interface HttpWay {
  readonly kind: 'sse' | 'stream-http'
  readonly url: URL
  readonly fetch: typeof globalThis.fetch
}

export interface HttpConnection {
  readonly transport: Transport
  /** The reason why Cordon closed the connection; undefined if it did not. Completes "it …". */
  readonly failure: () => string | undefined
  /** The last error of the guarded fetch, which the SDK's SSE transport does not pass on. */
  readonly refusal: () => unknown
  /** Terminates the session on the server. Bounded in time; never rejects. */
  readonly farewell: () => Promise<void>
}

const FAREWELL_MS = 1000
const CUT_OFF = 'The connection ended before the answer was complete, or the answer is above 16 MiB'

export async function createHttpTransport(
  way: HttpWay,
  headers: Readonly<Record<string, string>>,
): Promise<HttpConnection> {
  const sdk = await import('@modelcontextprotocol/client')
  let failure: string | undefined
  let refusal: unknown
  const hangUp = (why: string): void => {
    if (failure !== undefined) return
    failure = why
    void transport.close()
  }
  const isSse = way.kind === 'sse'
  const options = {
    requestInit: { headers: { ...headers } },
    async fetch(target: string | URL, init?: RequestInit): Promise<Response> {
      const response = await way.fetch(target, init).catch((error: unknown) => {
        if (isSse) refusal = error
        throw error
      })
      if (isForgotten(response, init)) hangUp('no longer knows the session')
      if (failure !== undefined) throw new ConnectionLost(failure)
      if (isSse) return takeSse(response, init?.method, hangUp)
      return limitBody(response, { mayStream: isAsking(init) })
    },
  }
  const transport = isSse
    ? new sdk.SSEClientTransport(way.url, options)
    : failingOnEnd(new sdk.StreamableHTTPClientTransport(way.url, options))
  const farewell = async (): Promise<void> => {
    if (!('terminateSession' in transport)) return
    const late = pause(FAREWELL_MS, undefined, { ref: false })
    await Promise.race([transport.terminateSession(), late]).catch(() => undefined)
  }
  return { transport, failure: () => failure, refusal: () => refusal, farewell }
}

/** HTTP 404 for a request with a session id: the server has ended the session, and only a new one helps. */
function isForgotten({ status }: Response, init: RequestInit | undefined): boolean {
  return status === 404 && new Headers(init?.headers).has('mcp-session-id')
}

/** Over HTTP+SSE all answers come through the stream of the first GET; when it ends, the connection is useless. */
function takeSse(
  response: Response,
  method: string = 'GET',
  hangUp: (why: string) => void,
): Response {
  const isGet = method === 'GET'
  if (!isGet && !response.ok) throw new HttpRefusal(response.status)
  return limitBody(response, { mayStream: isGet, onEnd: isGet && response.ok ? hangUp : undefined })
}

/**
 * Whether the SDK reads the body event by event: of its GET stream, or of a request. It buffers any other body whole.
 */
function isAsking({ method, body }: RequestInit = {}): boolean {
  if (method !== 'POST') return method === 'GET'
  const message: unknown = typeof body === 'string' ? JSON.parse(body) : undefined
  return isJsonObject(message) && 'method' in message && 'id' in message
}

/** An HTTP error status, in the shape of the SDK's own errors. */
class HttpRefusal extends Error {
  readonly data: { readonly status: number }
  constructor(status: number) {
    super(`The server answered with HTTP status ${status}`)
    this.data = { status }
  }
}

/** If the stream ends before the answer, the SDK waits on until the timeout. Here the call fails at once. */
function failingOnEnd<T extends Transport>(transport: T): T {
  const send = transport.send.bind(transport)
  const error = { code: NOT_WHOLE, message: CUT_OFF }
  const fail = (message: JSONRPCMessage): void => {
    // If the answer has already come, the SDK ignores this error.
    if ('method' in message && 'id' in message) {
      transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error })
    }
  }
  transport.send = (message, options) =>
    send(message, { onRequestStreamEnd: () => fail(message), ...options })
  return transport
}
