/**
 * The orderly end of the gateway. No new request is begun, those under way are finished within a bound, and the rest are
 * cancelled and answered with an error. Then every connection is ended: MCP has no message for a shutdown, a stream that
 * ends after its last answer is how a client learns of it.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'
import { BriefSet } from '../text/brief-map.ts'
import { INTERNAL_ERROR, RpcError } from './rpc-message.ts'

/** A cancelled request has this long to be answered. */
const CUT_MS = 1000

export class Drain {
  readonly #underWay = new BriefSet<AbortController>()
  /** `subscriptions/listen`: such a request has no end of its own. */
  readonly #endless = new Set<AbortController>()
  readonly #streams = new Set<() => void>()
  #state: 'open' | 'draining' | 'cut' = 'open'
  #settled = Promise.withResolvers<void>()

  /** Throws while draining. */
  begin(method: string, request: AbortController): void {
    if (this.isDraining) throw stopping()
    const requests = method === 'subscriptions/listen' ? this.#endless : this.#underWay
    requests.add(request)
  }

  /** Throws if the request was cut: its result says no more than that it was cancelled. */
  end(request: AbortController): void {
    this.#endless.delete(request)
    const wasUnderWay = this.#underWay.delete(request)
    if (this.#underWay.size === 0 && this.isDraining) this.#settled.resolve()
    if (wasUnderWay && this.#state === 'cut') throw cut()
  }

  get isDraining(): boolean {
    return this.#state !== 'open'
  }

  get requests(): number {
    return this.#underWay.size + this.#endless.size
  }

  get connections(): number {
    return this.#streams.size
  }

  /** A connection or an event stream, ended after the last answer. */
  follow(end: () => void): Disposable {
    this.#streams.add(end)
    return { [Symbol.dispose]: () => void this.#streams.delete(end) }
  }

  /** Resolves once every client was told. Never throws. */
  async drain(longestMs: number): Promise<void> {
    this.#state = 'draining'
    for (const request of this.#endless) request.abort()
    await this.#within(longestMs)
    this.#state = 'cut'
    for (const request of this.#underWay.values()) request.abort()
    await this.#within(CUT_MS)
    await nextTurn() // the last answers are written by then
    for (const end of this.#streams) end()
  }

  async #within(longestMs: number): Promise<void> {
    if (this.#underWay.size === 0) return
    const late = setTimeout(() => this.#settled.resolve(), longestMs)
    await this.#settled.promise
    clearTimeout(late)
    this.#settled = Promise.withResolvers<void>()
  }
}

export function stopping(): RpcError {
  return new RpcError(INTERNAL_ERROR, 'Cordon is stopping; send the request again in a moment')
}

function cut(): RpcError {
  const why = 'Cordon stopped before this request was finished; what it changed is not known'
  return new RpcError(INTERNAL_ERROR, why)
}
