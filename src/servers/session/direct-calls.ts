/**
 * Calls of tools, spoken directly over lines: one message out, one back. The SDK's client would do the same at several
 * times the cost, since it checks every message against schemas of its own before ours does. It keeps the handshake, and
 * everything that a server asks by itself.
 */
import type { Json } from '../../kernel/json.ts'
import type { CallTiming } from './call-clocks.ts'
import { AnsweredNo, CallTimeout, ConnectionLost } from './failure.ts'
import { isJsonObject } from './json-bounds.ts'
import type { LineTransport } from './line-transport.ts'

/** The SDK counts from 0; nobody makes so many requests in one session. */
const FIRST_ID = 1_000_000_000

interface Waiting {
  resolve(result: Json): void
  reject(error: Error): void
  /** A sign of life. */
  progressed: () => void
}

export class DirectCalls {
  readonly #transport: LineTransport
  readonly #waiting = new Map<number, Waiting>()
  #lastId = FIRST_ID

  constructor(transport: LineTransport) {
    this.#transport = transport
    transport.divert((message) => this.#take(message))
    void transport.closed.then(() => this.#lose())
  }

  async call(params: { readonly [key: string]: Json }, timing: CallTiming): Promise<Json> {
    this.#lastId += 1
    const id = this.#lastId
    const answer = this.#wait(id, timing)
    const _meta = { progressToken: id }
    const call = { jsonrpc: '2.0', id, method: 'tools/call', params: { ...params, _meta } } as const
    // Whoever left before it began is not waited for, and nothing is sent for him.
    if (this.#waiting.has(id)) {
      this.#transport.send(call).catch((error: unknown) => {
        this.#waiting.get(id)?.reject(error as Error)
      })
    }
    return await answer
  }

  #wait(id: number, timing: CallTiming): Promise<Json> {
    const { promise, resolve, reject } = Promise.withResolvers<Json>()
    let unwatch = (): void => undefined
    const end = (): void => {
      unwatch()
      this.#waiting.delete(id)
    }
    const giveUp = (reason: unknown): void => {
      if (!this.#waiting.has(id)) return
      end()
      this.#cancel(id)
      reject(reason)
    }
    this.#waiting.set(id, {
      resolve(result) {
        end()
        resolve(result)
      },
      reject(error) {
        end()
        reject(error)
      },
      progressed: timing.onprogress,
    })
    if (timing.watch) timing.watch(giveUp)
    else unwatch = this.#watch(id, timing, giveUp)
    return promise
  }

  /** Where nobody else keeps the time. Returns how to stop. */
  #watch(id: number, timing: CallTiming, giveUp: (reason: unknown) => void): () => void {
    const { signal, timeout, maxTotalTimeout = Infinity, resetTimeoutOnProgress } = timing
    const onAbort = (): void => giveUp(signal.reason)
    if (signal.aborted) onAbort()
    const isOver = !this.#waiting.has(id)
    if (isOver) return () => undefined
    const timer = setTimeout(() => giveUp(new CallTimeout()), timeout)
    const began = performance.now()
    const waiting = this.#waiting.get(id)
    if (waiting && resetTimeoutOnProgress) {
      waiting.progressed = () => {
        timing.onprogress()
        if (performance.now() - began < maxTotalTimeout) timer.refresh()
        else giveUp(new CallTimeout())
      }
    }
    signal.addEventListener('abort', onAbort)
    return () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }

  /** Whether the message was one of ours: also where nobody waits for it any more. */
  #take(message: Readonly<Record<string, unknown>>): boolean {
    const { id, method, result, error } = message
    if (method === 'notifications/progress') return this.#progressed(message['params'])
    if (method !== undefined || typeof id !== 'number' || id <= FIRST_ID) return false
    const waiting = this.#waiting.get(id)
    if (isJsonObject(error)) waiting?.reject(new AnsweredNo(error))
    else if (isJsonObject(result)) waiting?.resolve(result)
    else waiting?.reject(new AnsweredNo({ message: 'The answer of the server is none' }))
    return true
  }

  #progressed(params: unknown): boolean {
    const token = isJsonObject(params) ? params['progressToken'] : undefined
    if (typeof token !== 'number' || token <= FIRST_ID) return false
    this.#waiting.get(token)?.progressed()
    return true
  }

  /** Told, so that the server need not go on. Whether it hears it makes no difference here. */
  #cancel(requestId: number): void {
    const params = { requestId, reason: 'The call was given up' }
    const message = { jsonrpc: '2.0', method: 'notifications/cancelled', params } as const
    this.#transport.send(message).catch(() => undefined)
  }

  #lose(): void {
    for (const waiting of this.#waiting.values()) waiting.reject(new ConnectionLost())
  }
}
