/**
 * `/mcp` on the loopback port: Streamable HTTP for clients of both eras. Written on Node's own requests and answers: the
 * SDK's transport would cost several times as much per call as the whole door.
 */
import { headerOf, type HttpRequest, type HttpResponse } from './http-request.ts'
import type { Audit, Log } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { JsonObject } from '../text/json.ts'
import type { Clients, GatewayClient } from '../ports/client-port.ts'
import { createRateLimit } from '../text/rate-limit.ts'
import {
  answerMessage,
  type Answering,
  asRpcError,
  checkCapabilities,
  eraIn,
  notSpoken,
  type Peer,
  VERSION_KEY,
  versionIn,
} from './answer-message.ts'
import { checkHeaders } from './check-headers.ts'
import { admitRequest } from './admit-request.ts'
import { stopping } from './drain.ts'
import { HttpAnswer } from './http-answer.ts'
import { HttpLoad } from './http-load.ts'
import type { HttpSessions } from './http-sessions.ts'
import { isOlder, serveNews, serveOlder, type Streamed } from './serve-older.ts'
import { parsed } from './serve-lines.ts'
import {
  errorMessage,
  HEADER_MISMATCH,
  idIn,
  INVALID_PARAMS,
  isObject,
  METHOD_NOT_FOUND,
  readMessage,
  RpcError,
  type RpcMessage,
} from './rpc-message.ts'
import { challengeFor } from './sign-in/resource-metadata.ts'
import { eraOf } from './versions.ts'

export interface EndpointDeps extends Answering {
  readonly owner: PrincipalId
  readonly clients: Pick<Clients, 'admit' | 'revoked'>
  readonly audit: Pick<Audit, 'append'>
  readonly log: Log
  readonly sessions: HttpSessions
  readonly port: number
  readonly now: () => number
}

export type Endpoint = (request: HttpRequest, response: HttpResponse) => void

/** Of one client. A loop that runs away is stopped; a person's agent never gets there. */
const RATE = { atOnce: 20_000, perSecond: 10_000 }

export function createEndpoint(deps: EndpointDeps): Endpoint {
  const { sessions } = deps
  const load = new HttpLoad()
  const limits = new Map<string, () => boolean>()
  const mayRecord = createRateLimit({ atOnce: 10, perSecond: 1 / 60 }, deps.now)
  const limitOf = ({ name }: GatewayClient): (() => boolean) => {
    const limit = limits.get(name) ?? createRateLimit(RATE)
    limits.set(name, limit)
    return limit
  }
  return (request, response) => {
    void serve({ deps, sessions, load, limitOf, mayRecord }, request, response).catch(
      (error: unknown) => {
        const rpc = asRpcError(error, deps.log)
        if (!response.writableEnded)
          new HttpAnswer(request, response).end(errorMessage(null, rpc), 500)
      },
    )
  }
}

interface Serving {
  readonly deps: EndpointDeps
  readonly sessions: HttpSessions
  readonly load: HttpLoad
  readonly limitOf: (client: GatewayClient) => () => boolean
  readonly mayRecord: () => boolean
}

async function serve(
  serving: Serving,
  request: HttpRequest,
  response: HttpResponse,
): Promise<void> {
  const { deps, load, limitOf, mayRecord } = serving
  const answer = new HttpAnswer(request, response)
  const admission = await admitRequest(request, deps.clients, deps.port)
  if (admission.kind === 'refused') {
    const { status, why } = admission
    if (mayRecord()) recordRefusal(deps, status)
    return answer.refuse(status, why, status === 401 ? challenge(request) : {})
  }
  const { client } = admission
  if (!limitOf(client)()) return answer.refuse(429, 'Too many requests', { 'Retry-After': '1' })
  const place = load.of(deps.clients.revoked(client)).enter(response)
  if (!place) return answer.refuse(429, TOO_MANY, LATER)
  await admit(serving, { request, response, client, answer, place })
}

async function admit(serving: Serving, posted: Posted): Promise<void> {
  const { deps, sessions } = serving
  const { request, client, answer, place } = posted
  if (request.method === 'DELETE') return await leave(serving, request, client, answer)
  const streams = { answering: deps, clients: deps.clients, sessions }
  if (request.method === 'GET') {
    if (!place.mayAsk) return answer.refuse(429, TOO_MANY, LATER)
    return await (isOlder(request) ? serveOlder(streams, posted) : serveNews(streams, posted))
  }
  const body = await place.read(request)
  if (body.kind === 'refused') {
    return answer.refuse(body.status, body.why, body.status === 429 ? LATER : CLOSING)
  }
  if (isOlder(request)) return await serveOlder(streams, posted, body.bytes)
  await take(serving, posted, body.bytes)
}

function recordRefusal({ audit, owner }: EndpointDeps, status: number): void {
  audit.append({ kind: 'gateway.refused', principal: owner, details: { status } })
}

/** RFC 9728: where a client that only knows the address learns how to sign in. */
function challenge({ headers }: HttpRequest): Readonly<Record<string, string>> {
  return { 'WWW-Authenticate': challengeFor(`http://${headerOf(headers, 'host') ?? ''}`) }
}

async function leave(
  { sessions }: Serving,
  { headers }: HttpRequest,
  client: GatewayClient,
  answer: HttpAnswer,
): Promise<void> {
  const id = headerOf(headers, 'mcp-session-id')
  const wasOpen = id !== undefined && (await sessions.close(client, id))
  if (wasOpen) return answer.accept()
  answer.refuse(404, 'There is no such session')
}

interface Posted extends Streamed {
  readonly answer: HttpAnswer
}

async function take(serving: Serving, posted: Posted, body: Buffer): Promise<void> {
  const { request, answer, place } = posted
  let message: RpcMessage
  try {
    message = readMessage(parsed(body.toString('utf8')))
    checkVersion(request, message)
  } catch (error) {
    const id = idIn(body.toString('utf8'))
    return answer.end(errorMessage(id, asRpcError(error, serving.deps.log)), 400)
  }
  if (!place.mayAsk && message.kind === 'request') return answer.refuse(429, TOO_MANY, LATER)
  // Answers and cancellations are still taken: requests under way may wait for them.
  if (message.kind === 'request' && serving.deps.drain.isDraining) {
    answer.addHeaders(SOON)
    return answer.end(errorMessage(message.id, stopping()), 503)
  }
  const finding = peerFor(serving, posted, message)
  const found = finding instanceof Promise ? await finding : finding
  if (!found) return answer.refuse(404, 'There is no such session; send initialize first')
  if (found.headers) answer.addHeaders(found.headers)
  await reply(serving, posted, message, found)
}

async function reply(
  { deps, sessions }: Serving,
  { client, response, answer, place }: Posted,
  message: RpcMessage,
  { peer, id }: Found,
): Promise<void> {
  const cancelling = new AbortController()
  response.once('close', () => {
    // Aborting takes longer than most of the other steps, so it is left out once the answer is written.
    if (!response.writableEnded) cancelling.abort()
  })
  const notify = sessions.telling(client, id, answer.notify)
  const channel = { ...(notify && { notify }), cancelling }
  const answered = await answerMessage(deps, peer, message, channel)
  if (sessions.areShared) await sessions.keep(client, id)
  if (answered) {
    answer.end(answered, statusOf(message, answered))
    place.sent()
  } else if (message.kind === 'request') answer.endUnanswered()
  else answer.accept()
}

const TOO_MANY = 'Too many requests and streams are open'
/** The rest of the body is not read. */
const CLOSING = { Connection: 'close' } as const
const LATER = { 'Retry-After': '1', ...CLOSING } as const
const SOON = { 'Retry-After': '5', ...CLOSING } as const

/** MCP 2026-07-28 gives an unknown method a status of its own; the older versions answer every request with 200. */
function statusOf(message: RpcMessage, { error }: JsonObject): number {
  const isUnknown = isObject(error) && error['code'] === METHOD_NOT_FOUND
  return isUnknown && message.kind === 'request' && eraIn(message) === 'modern' ? 404 : 200
}

/** Throws for a version that is not spoken, and for headers of the modern era that contradict the body. */
function checkVersion({ headers }: HttpRequest, message: RpcMessage): void {
  const version = headerOf(headers, 'mcp-protocol-version')
  const said = message.kind === 'request' ? versionIn(message) : undefined
  if (said !== undefined && said !== version) {
    throw new RpcError(HEADER_MISMATCH, 'MCP-Protocol-Version does not say what the body says')
  }
  const era = version === undefined ? 'legacy' : eraOf(version)
  if (!era) throw notSpoken(version)
  if (message.kind !== 'request' || era === 'legacy') return
  if (said === undefined) throw new RpcError(INVALID_PARAMS, `_meta has to hold ${VERSION_KEY}`)
  checkHeaders(headers, message)
  checkCapabilities(message)
}

interface Found {
  readonly peer: Peer
  /** Of the session; absent in the modern era. */
  readonly id: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

function peerFor(
  { sessions }: Serving,
  { request, client }: Posted,
  message: RpcMessage,
): Found | undefined | Promise<Found | undefined> {
  if (message.kind === 'request' && message.method === 'initialize') {
    const { id, peer } = sessions.open(client)
    return { peer, id, headers: { 'Mcp-Session-Id': id } }
  }
  const id = headerOf(request.headers, 'mcp-session-id')
  const found = id === undefined ? sessions.shared(client) : sessions.find(client, id)
  if (!sessions.areShared && !(found instanceof Promise)) return found && { peer: found, id }
  return brought(sessions, { client, id, message }, found)
}

async function brought(
  sessions: HttpSessions,
  {
    client,
    id,
    message,
  }: Pick<Posted, 'client'> & {
    readonly id: string | undefined
    readonly message: RpcMessage
  },
  finding: Peer | undefined | Promise<Peer | undefined>,
): Promise<Found | undefined> {
  const peer = await finding
  if (!peer) return undefined
  if (message.kind === 'request') await sessions.bring(client, id, message.params['arguments'])
  return { peer, id }
}
