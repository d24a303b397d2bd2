/**
 * The SDK's HTTP transports over a fetch that `egress/` guards: to the hosts of a remote server, or to a socket of
 * this machine. A token travels in a header and nowhere else. An endless answer is cut off, and fails its call; so does
 * an answer that is no MCP message, with the reason in words for people.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client'
import type { JsonObject } from '../../text/json.ts'
import { ConnectionLost, isMalformed, notWhole } from './failure.ts'
import { type Expected, HttpFailure, type HttpOddity, oddityOf, parsed } from './http-oddity.ts'
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
  /** The answer to the last request, if it was no MCP message. */
  readonly oddity: () => HttpOddity | undefined
  /** Terminates the session on the server. Bounded in time; never rejects. */
  readonly farewell: () => Promise<void>
}

const FAREWELL_MS = 1000
const CUT_OFF = 'The connection ended before the answer was complete, or the answer is above 16 MiB'
const NO_MESSAGE = 'The server answered with something that is not an MCP message'
/** More of a body is not read to tell what it is. */
const MOST_READ = 64 * 1024

export async function createHttpTransport(
  way: HttpWay,
  headers: Readonly<Record<string, string>>,
  note: (text: string) => void = () => undefined,
): Promise<HttpConnection> {
  const sdk = await import('@modelcontextprotocol/client')
  let failure: string | undefined
  let refusal: unknown
  let oddity: HttpOddity | undefined
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
      const looked = await lookAt(response, { target, init, isSse })
      if (looked.isAsked) oddity = looked.oddity
      if (looked.oddity) note(`The server ${looked.oddity.what}`)
      if (looked.oddity && looked.isFinal) throw new HttpFailure(looked.oddity)
      if (isSse) return takeSse(looked.response, init?.method, hangUp)
      return limitBody(looked.response, { mayStream: isAsking(init) })
    },
  }
  const transport = isSse
    ? new sdk.SSEClientTransport(way.url, options)
    : failingOnEnd(new sdk.StreamableHTTPClientTransport(way.url, options))
  if (isSse) {
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transports have no other way
    transport.onerror = (error) => {
      if (isMalformed(error)) note(NO_MESSAGE)
    }
  }
  const farewell = async (): Promise<void> => {
    if (!('terminateSession' in transport)) return
    const late = pause(FAREWELL_MS, undefined, { ref: false })
    await Promise.race([transport.terminateSession(), late]).catch(() => undefined)
  }
  const said = { failure: () => failure, refusal: () => refusal, oddity: () => oddity }
  return { transport, ...said, farewell }
}

interface Exchange {
  readonly target: string | URL
  readonly init: RequestInit | undefined
  readonly isSse: boolean
}

interface Looked {
  /** With its whole body, or as much of it as the SDK quotes. */
  readonly response: Response
  readonly oddity?: HttpOddity
  /** It answers a request, so that the oddity explains a failure. */
  readonly isAsked: boolean
  /** The SDK could make nothing of it but an error with fewer facts, or would wait for ever. */
  readonly isFinal: boolean
}

async function lookAt(response: Response, exchange: Exchange): Promise<Looked> {
  const expected = expectedIn(exchange)
  const isAsked = expected !== undefined
  const isPlain = !expected || !oddityOf(response, '', expected) || isFollowed(response, exchange)
  if (isPlain) return { response, isAsked, isFinal: false }
  const { status, statusText, headers } = response
  const text = await beginningOf(response.body)
  const oddity = oddityOf(response, text, expected)
  const read = new Response(text === '' ? null : text, { status, statusText, headers })
  if (!oddity) return { response: read, isAsked, isFinal: false }
  return { response: read, oddity, isAsked, isFinal: isFinal(exchange, status, text) }
}

function isFinal({ init, isSse }: Exchange, status: number, body: string): boolean {
  if (isSse) return init?.method === 'POST'
  // An error in the form of JSON-RPC is the answer of the server itself, which the SDK reads (MCP 2026-07-28).
  const isAnswer = status === 400 && isJsonObject(parsed(body))
  // A handshake goes on after most refusals: in another protocol era, or over another transport.
  return status === 202 || (isCall(init) && !isAnswer)
}

/** Undefined where every answer is one: the stream of a server that has nothing to say, the end of a session. */
function expectedIn({ init, isSse }: Exchange): Expected | undefined {
  const method = init?.method ?? 'GET'
  if (isSse) return method === 'GET' ? 'stream' : 'nothing'
  return method === 'POST' && isAsking(init) ? 'message' : undefined
}

/** The SDK follows a redirect within the origin that keeps the method. */
function isFollowed({ status, headers }: Response, { target, init }: Exchange): boolean {
  const location = headers.get('location') ?? ''
  if (status < 300 || status > 399 || !URL.canParse(location, String(target))) return false
  const keepsMethod = init?.method !== 'POST' || status === 307 || status === 308
  return keepsMethod && new URL(location, target).origin === new URL(target).origin
}

async function beginningOf(body: Response['body']): Promise<string> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    chunks.push(chunk)
    size += chunk.byteLength
    if (size > MOST_READ) break // cancels the rest
  }
  return Buffer.concat(chunks).subarray(0, MOST_READ).toString()
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
  return limitBody(response, { mayStream: isGet, onEnd: isGet && response.ok ? hangUp : undefined })
}

/**
 * Whether the SDK reads the body event by event: of its GET stream, or of a request. It buffers any other body whole.
 */
function isAsking({ method, body }: RequestInit = {}): boolean {
  if (method !== 'POST') return method === 'GET'
  const message = messageIn(body)
  return message !== undefined && 'method' in message && 'id' in message
}

function isCall({ body }: RequestInit = {}): boolean {
  return messageIn(body)?.['method'] === 'tools/call'
}

function messageIn(body: RequestInit['body']): JsonObject | undefined {
  const message = typeof body === 'string' ? parsed(body) : undefined
  return isJsonObject(message) ? message : undefined
}

/** If the stream ends before the answer, the SDK waits on until the timeout. Here the call fails at once. */
function failingOnEnd<T extends Transport>(transport: T): T {
  const send = transport.send.bind(transport)
  let why = CUT_OFF
  // oxlint-disable-next-line unicorn/prefer-add-event-listener -- the SDK's transports have no other way
  transport.onerror = (error) => {
    if (isMalformed(error)) why = NO_MESSAGE
  }
  const fail = (message: JSONRPCMessage): void => {
    // If the answer has already come, the SDK ignores this error.
    if ('method' in message && 'id' in message) {
      transport.onmessage?.({ jsonrpc: '2.0', id: message.id, error: notWhole(why) })
      why = CUT_OFF
    }
  }
  transport.send = (message, options) =>
    send(message, { onRequestStreamEnd: () => fail(message), ...options })
  return transport
}
