/**
 * Answers one message of a client, whatever transport it came by: reads it, finds its era, answers requests and obeys
 * cancellations. Never throws because of a message.
 */
import type { Log } from '../kernel/ports.ts'
import type { BriefMap } from '../text/brief-map.ts'
import type { JsonObject } from '../text/json.ts'
import type { ClientLink } from './client-link.ts'
import type { ClientSession } from './client-session.ts'
import type { Drain } from './drain.ts'
import type { HandleRequest } from './handle-request.ts'
import {
  errorMessage,
  INTERNAL_ERROR,
  INVALID_PARAMS,
  INVALID_REQUEST,
  isId,
  isObject,
  resultMessage,
  RpcError,
  type RpcId,
  type RpcMessage,
  type RpcRequest,
  UNSUPPORTED_VERSION,
} from './rpc-message.ts'
import { type Era, eraOf, VERSIONS } from './versions.ts'

/** A client on one transport, with its requests that are under way. */
export interface Peer {
  readonly session: ClientSession
  readonly link: ClientLink
  readonly underWay: BriefMap<RpcId, AbortController>
  /** Keeps what is remembered of the client while a request of it is under way. */
  readonly hold?: () => Disposable
}

export interface Channel {
  /** Sends a notification before the answer; absent if the client cannot take one here. */
  readonly notify?: (message: JsonObject) => void
  /** Of this message alone: aborted when the client is gone or cancels. A signal that follows another costs more. */
  readonly cancelling: AbortController
}

export interface Answering {
  readonly handle: HandleRequest
  readonly drain: Drain
  readonly log: Log
}

/** More at once is a client that floods. */
const MOST_UNDER_WAY = 256

/** Undefined for a message that takes no answer, and for a request that its client has cancelled. */
export async function answerMessage(
  answering: Answering,
  peer: Peer,
  message: RpcMessage,
  channel: Channel,
): Promise<JsonObject | undefined> {
  if (message.kind === 'notification') {
    if (message.method === 'notifications/cancelled') cancel(peer, message.params['requestId'])
    return undefined
  }
  if (message.kind === 'response') {
    peer.link.answered(message)
    return undefined
  }
  try {
    const result = await answerRequest(answering, peer, message, channel)
    return result && resultMessage(message.id, result)
  } catch (error) {
    return errorMessage(message.id, asRpcError(error, answering.log))
  }
}

async function answerRequest(
  { handle, drain }: Answering,
  { session, link, underWay, hold }: Peer,
  request: RpcRequest,
  { notify, cancelling }: Channel,
): Promise<JsonObject | undefined> {
  const era = eraIn(request)
  if (era === 'modern') checkCapabilities(request)
  const { id } = request
  if (underWay.has(id)) throw new RpcError(INVALID_REQUEST, 'A request with this id is under way')
  if (underWay.size >= MOST_UNDER_WAY) {
    throw new RpcError(INTERNAL_ERROR, 'Too many requests are under way; wait for an answer first')
  }
  using _held = hold?.()
  drain.begin(request.method, cancelling)
  underWay.set(id, cancelling)
  // The end of the gateway aborts requests, too; those clients wait for an answer.
  const isCancelled = (): boolean => cancelling.signal.aborted && !drain.isDraining
  try {
    const result = await handle(request, {
      session,
      link,
      request,
      era,
      ...(notify && { notify }),
      signal: cancelling.signal,
    })
    return isCancelled() ? undefined : result
  } catch (error) {
    if (isCancelled()) return undefined
    throw error
  } finally {
    underWay.delete(id)
    drain.end(cancelling)
  }
}

function cancel({ underWay }: Peer, id: unknown): void {
  if (isId(id)) underWay.get(id)?.abort()
}

export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion'
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities'

/** A request of the modern era says its version; every other is of a session. */
export function eraIn(request: RpcRequest): Era {
  const version = versionIn(request)
  if (version === undefined) return 'legacy'
  const era = eraOf(version)
  if (era) return era
  throw notSpoken(version)
}

/** Undefined where the request says none. */
export function versionIn({ params }: RpcRequest): string | undefined {
  const meta = params['_meta']
  const version = isObject(meta) ? meta[VERSION_KEY] : undefined
  if (version === undefined || typeof version === 'string') return version
  throw new RpcError(INVALID_PARAMS, `${VERSION_KEY} is no text`)
}

export function notSpoken(version = ''): RpcError {
  const data = { supported: VERSIONS, requested: version.slice(0, 40) }
  return new RpcError(UNSUPPORTED_VERSION, 'This version of the protocol is not spoken here', data)
}

/** Of the modern era, every request has to say what its client can do. */
export function checkCapabilities({ params }: RpcRequest): void {
  const meta = params['_meta']
  if (isObject(meta) && isObject(meta[CAPABILITIES_KEY])) return
  throw new RpcError(INVALID_PARAMS, `_meta has to hold ${CAPABILITIES_KEY}`)
}

/** Anything unexpected is a bug of ours: the log has it, the client learns no more than that. */
export function asRpcError(error: unknown, log: Log): RpcError {
  if (error instanceof RpcError) return error
  log.error('A request of a client failed because of a bug', { error })
  return new RpcError(INTERNAL_ERROR, 'Something broke in Cordon; its log has more')
}
