/**
 * The streams of the legacy era: the GET of Streamable HTTP, on which a session is told news, and the older transport
 * HTTP+SSE (2024-11-05), whose stream carries the answers as well. Reached only after the token was checked.
 */
import type { Clients, GatewayClient } from '../ports/client-port.ts'
import type { JsonObject } from '../text/json.ts'
import { tokenIn } from './admit-request.ts'
import { answerMessage, type Answering, asRpcError, type Peer } from './answer-message.ts'
import { type EventStream, openEventStream } from './event-stream.ts'
import { HttpAnswer } from './http-answer.ts'
import type { Place } from './http-load.ts'
import { headerOf, type HttpRequest, type HttpResponse } from './http-request.ts'
import type { HttpSessions } from './http-sessions.ts'
import { errorMessage, idIn, readMessage, type RpcMessage } from './rpc-message.ts'
import { parsed } from './serve-lines.ts'

export interface StreamDeps {
  readonly answering: Answering
  readonly clients: Pick<Clients, 'admit' | 'revoked'>
  readonly sessions: HttpSessions
}

export interface Streamed {
  readonly request: HttpRequest
  readonly response: HttpResponse
  readonly client: GatewayClient
  readonly place: Place
}

export const SSE_PATH = '/sse'
const MESSAGES_PATH = '/messages'

/** Whether the request is one of the older transport. */
export function isOlder({ url = '' }: HttpRequest): boolean {
  return pathOf(url) === SSE_PATH || pathOf(url) === MESSAGES_PATH
}

function pathOf(url: string): string {
  return url.split('?', 1)[0] ?? ''
}

/** GET of Streamable HTTP: news for the session. */
export async function serveNews(deps: StreamDeps, streamed: Streamed): Promise<void> {
  const { request, response, client, place } = streamed
  const answer = new HttpAnswer(request, response)
  const id = headerOf(request.headers, 'mcp-session-id')
  // Without a session there is nothing to tell: requests of the modern era listen by a request of their own.
  if (id === undefined) return answer.refuse(405, 'POST a JSON-RPC message', { Allow: 'POST' })
  if (!takesEvents(request)) return answer.refuse(406, 'Accept has to name text/event-stream')
  const peer = await deps.sessions.find(client, id)
  if (!peer) return answer.refuse(404, 'There is no such session; send initialize first')
  const isOpen = async (): Promise<boolean> => {
    const found = await deps.sessions.find(client, id)
    if (found) await deps.sessions.keep(client, id) // an open stream is use of the session
    return found !== undefined
  }
  const stream = openEventStream(response, welcomeTo(deps, streamed, isOpen))
  await follow(deps, { peer, place }, stream)
}

export async function serveOlder(
  deps: StreamDeps,
  streamed: Streamed,
  body?: Buffer,
): Promise<void> {
  const { request, response, client, place } = streamed
  const answer = new HttpAnswer(request, response)
  const isStream = pathOf(request.url ?? '') === SSE_PATH
  if (isStream !== (request.method === 'GET')) {
    return answer.refuse(405, 'GET /sse opens a stream, which says where to POST')
  }
  if (!isStream) return await takeOlder(deps, streamed, body ?? Buffer.alloc(0))
  if (!takesEvents(request)) return answer.refuse(406, 'Accept has to name text/event-stream')
  const { id, peer } = deps.sessions.open(client)
  const first = `event: endpoint\ndata: ${MESSAGES_PATH}?sessionId=${id}\n\n`
  const isOpen = async (): Promise<boolean> => deps.sessions.findHere(client, id) !== undefined
  const stream = openEventStream(response, { ...welcomeTo(deps, streamed, isOpen), first })
  await follow(deps, { peer, place }, stream)
  await deps.sessions.close(client, id)
}

/** A message of the older transport: its answer comes on the stream. */
async function takeOlder(
  { answering, sessions }: StreamDeps,
  { request, response, client, place }: Streamed,
  body: Buffer,
): Promise<void> {
  const answer = new HttpAnswer(request, response)
  const id = new URLSearchParams((request.url ?? '').split('?')[1]).get('sessionId') ?? ''
  const peer = sessions.findHere(client, id)
  if (!peer) return answer.refuse(404, 'There is no such session; GET /sse opens one')
  const text = body.toString('utf8')
  let message: RpcMessage
  try {
    message = readMessage(parsed(text))
  } catch (error) {
    return answer.end(errorMessage(idIn(text), asRpcError(error, answering.log)), 400)
  }
  if (!place.mayAsk && message.kind === 'request') {
    return answer.refuse(429, 'Too many calls are under way', { 'Retry-After': '1' })
  }
  // In the next turn: the call leaves for its server first, and the client reads this while the server works.
  setImmediate(() => answer.accept())
  using _held = place.hold()
  await answerOnStream(answering, peer, message)
}

async function answerOnStream(
  answering: Answering,
  peer: Peer,
  message: RpcMessage,
): Promise<void> {
  const { link } = peer
  const cancelling = new AbortController()
  const gone = (): void => cancelling.abort()
  link.closed.addEventListener('abort', gone)
  const channel = { notify: (one: JsonObject) => link.send(one), cancelling }
  const answered = await answerMessage(answering, peer, message, channel)
  link.closed.removeEventListener('abort', gone)
  if (answered) link.send(answered)
}

async function follow(
  { answering }: StreamDeps,
  { peer: { link }, place }: { readonly peer: Peer; readonly place: Place },
  stream: EventStream,
): Promise<void> {
  using _drained = answering.drain.follow(() => stream.close())
  using _attached = link.attach((message) => {
    stream.send(message)
    place.sent()
  })
  const stop = (): void => stream.close()
  link.closed.addEventListener('abort', stop)
  await stream.closed
  link.closed.removeEventListener('abort', stop)
}

function takesEvents({ headers }: HttpRequest): boolean {
  return (headerOf(headers, 'accept') ?? '').includes('text/event-stream')
}

/** As long as the client is not removed, its token opens the gateway, and the session goes on. */
function welcomeTo(
  { clients }: StreamDeps,
  { request, client }: Streamed,
  isOpen: () => Promise<boolean>,
): Pick<Parameters<typeof openEventStream>[1], 'isWelcome' | 'revoked'> {
  const token = tokenIn(request.headers)
  return {
    revoked: clients.revoked(client),
    async isWelcome() {
      const { name, createdAt } = (await clients.admit(token)) ?? {}
      return name === client.name && createdAt === client.createdAt && (await isOpen())
    },
  }
}
