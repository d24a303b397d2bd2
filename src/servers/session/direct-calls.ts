/**
 * `tools/call`, or another request with an answer, sent directly over the line transport: one message out, one back. The SDK's client would do the same at
 * several times the cost, since it validates every message against schemas of its own. The SDK keeps the handshake and
 * all requests of the server.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/client'
import { BriefMap } from '../../text/brief-map.ts'
import type { Json } from '../../text/json.ts'
import type { CallTiming } from './call-clocks.ts'
import type { ProtocolRequest } from './feature-tools.ts'
import { AnsweredNo, ConnectionLost, notWhole } from './failure.ts'
import { isJsonObject } from './json-bounds.ts'
import type { LineTransport } from './line-transport.ts'

/** The SDK numbers its requests from 0, and never gets this far in one session. */
const FIRST_ID = 1_000_000_000
/** Calls that were given up and are remembered. */
const MOST_LEFT = 1000
const NO_ANSWER = 'The answer of the server is none'

interface Waiting {
  readonly resolve: (result: Json) => void
  readonly reject: (error: unknown) => void
  readonly timing: CallTiming
}

export class DirectCalls {
  readonly #transport: LineTransport
  readonly #waiting = new BriefMap<number, Waiting>()
  /** Calls that were given up, and may still be answered. */
  readonly #left = new Map<number, CallTiming>()
  #lastId = FIRST_ID

  constructor(transport: LineTransport) {
    this.#transport = transport
    transport.divert((message) => this.#take(message))
    void transport.closed.then(() => this.#lose())
  }

  call({ method, params, meta }: ProtocolRequest, timing: CallTiming): Promise<Json> {
    this.#lastId += 1
    const id = this.#lastId
    const { promise, resolve, reject } = Promise.withResolvers<Json>()
    this.#waiting.set(id, { resolve, reject, timing })
    timing.watch((reason) => {
      if (!this.#waiting.delete(id)) return
      this.#leave(id, timing)
      this.#cancel(id)
      reject(reason)
    })
    const _meta = { ...meta, progressToken: id }
    const call = { jsonrpc: '2.0', id, method, params: { ...params, _meta } } as const
    // A caller that aborted before this line has been rejected already; nothing is sent.
    if (this.#waiting.has(id)) this.#send(id, call)
    return promise
  }

  #send(id: number, call: JSONRPCMessage): void {
    try {
      if (!this.#transport.post(call)) this.#end(id)?.reject(new ConnectionLost())
    } catch (error) {
      this.#end(id)?.reject(error) // arguments that are nested too deeply to be written as JSON
    }
  }

  /** Removes a call and returns it, to be settled once. */
  #end(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id)
    this.#waiting.delete(id)
    return waiting
  }

  /** Whether the message belongs to a call made here, even if that call was given up. */
  #take(message: Readonly<Record<string, unknown>>): boolean {
    const { id, method, result, error } = message
    if (method === 'notifications/progress') return this.#progressed(message['params'])
    if (method !== undefined || typeof id !== 'number' || id <= FIRST_ID) return false
    this.#settle(id, result, error)
    return true
  }

  #settle(id: number, result: unknown, error: unknown): void {
    const waiting = this.#end(id)
    if (!waiting) this.#answeredLate(id)
    else if (isJsonObject(error)) waiting.reject(new AnsweredNo(error))
    else if (isJsonObject(result)) waiting.resolve(result)
    else waiting.reject(new AnsweredNo(notWhole(NO_ANSWER)))
  }

  #progressed(params: unknown): boolean {
    const token = isJsonObject(params) ? params['progressToken'] : undefined
    if (typeof token !== 'number' || token <= FIRST_ID) return false
    this.#waiting.get(token)?.timing.progressed(params)
    return true
  }

  #leave(id: number, timing: CallTiming): void {
    this.#left.set(id, timing)
    const [oldest] = this.#left.keys()
    if (this.#left.size > MOST_LEFT && oldest !== undefined) this.#left.delete(oldest)
  }

  #answeredLate(id: number): void {
    this.#left.get(id)?.answeredLate()
    this.#left.delete(id)
  }

  /** Notifies the server, so that it may stop working on the call. A failure to send makes no difference. */
  #cancel(requestId: number): void {
    const params = { requestId, reason: 'The call was given up' }
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params } as const
    this.#transport.post(message)
  }

  #lose(): void {
    for (const { reject } of this.#waiting.values()) reject(new ConnectionLost())
    this.#waiting.clear()
  }
}
