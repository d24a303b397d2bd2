/**
 * The way from Cordon to one client outside of answers: what the client can take, the streams on which it listens, and
 * requests to it that wait for an answer. Everything that a client says here is untrusted; everything is bounded.
 */
import type { Json, JsonObject } from '../text/json.ts'
import type { LogLevel } from '../ports/feature-port.ts'
import type { Located } from './alias-of.ts'
import { isObject, notificationMessage, type RpcResponse } from './rpc-message.ts'

type Send = (message: JsonObject) => void

const MOST_REQUESTS = 64

export class ClientLink {
  /** As the client declared them with `initialize`. */
  capabilities: JsonObject = {}
  /** The version of its session. */
  version: string | undefined
  /** News of servers comes here already. */
  isJoined = false
  /** Absent: the client wants no log messages. */
  logLevel: LogLevel | undefined
  /** Resources that the client follows, by the gateway's URI. */
  readonly subscribed: Map<string, Located> = new Map()
  readonly #streams = new Set<Send>()
  readonly #waiting = new Map<string, (response: RpcResponse) => void>()
  /** Made when first asked for: most requests of the modern era need none. */
  #closing: AbortController | undefined
  #lastId = 0

  /** Aborts when the client's session is over. */
  get closed(): AbortSignal {
    this.#closing ??= new AbortController()
    return this.#closing.signal
  }

  /** Messages that belong to no answer are sent there, as long as it is not disposed of. */
  attach(send: Send): Disposable {
    this.#streams.add(send)
    return { [Symbol.dispose]: () => void this.#streams.delete(send) }
  }

  /** On one stream, as MCP wants it; dropped where the client listens on none. */
  push(method: string, params: JsonObject): void {
    this.send(notificationMessage(method, params))
  }

  send(message: JsonObject): void {
    const [send] = this.#streams
    send?.(message)
  }

  /** Undefined if the client answers with an error, or `signal` aborts first. */
  async request(
    { method, params }: { readonly method: string; readonly params: JsonObject },
    send: Send,
    signal: AbortSignal,
  ): Promise<Json | undefined> {
    if (signal.aborted || this.#waiting.size >= MOST_REQUESTS) return undefined
    this.#lastId += 1
    const id = `cordon-${this.#lastId}`
    const { promise, resolve } = Promise.withResolvers<RpcResponse | undefined>()
    const giveUp = (): void => resolve(undefined)
    this.#waiting.set(id, resolve)
    signal.addEventListener('abort', giveUp, { once: true })
    send({ jsonrpc: '2.0', id, method, params })
    const response = await promise
    this.#waiting.delete(id)
    signal.removeEventListener('abort', giveUp)
    return response?.result
  }

  /** An answer to no request of ours is ignored. */
  answered(response: RpcResponse): void {
    this.#waiting.get(String(response.id))?.(response)
  }

  onClose(act: () => void): void {
    this.closed.addEventListener('abort', act, { once: true })
  }

  close(): void {
    this.#closing?.abort()
  }
}

/** Which kinds of questions a client can put to its user. Without a kind named it can put forms (MCP 2025-06-18). */
export function canElicit(capabilities: Json | undefined, kind: 'form' | 'url'): boolean {
  const elicitation = isObject(capabilities) ? capabilities['elicitation'] : undefined
  if (!isObject(elicitation)) return false
  if (elicitation[kind] !== undefined) return true
  return kind === 'form' && elicitation['url'] === undefined
}
