/**
 * An MCP client that notes every message it gets, as it came: an SDK's client would drop exactly what the checks look for,
 * such as a second answer or another client's progress.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { OpenWire, Rpc, Wire } from './wire.ts'

export type Outcome =
  | { readonly kind: 'result'; readonly result: Readonly<Record<string, unknown>> }
  | { readonly kind: 'error'; readonly code: number; readonly message: string }
  /** The transport refused it, or no answer came in time. */
  | { readonly kind: 'none'; readonly why: string }

export interface ClientOptions {
  readonly capabilities?: Readonly<Record<string, unknown>>
  /** Answers requests of the gateway; without it they are answered with "method not found". */
  readonly answer?: (method: string, params: Readonly<Record<string, unknown>>) => object
}

export const VERSION = '2025-11-25'
/** Longer than any gateway needs on a slow machine; only an answer that never comes takes so long. */
const SILENCE_MS = Number(process.env['CONFORMANCE_SILENCE_MS'] ?? 15_000)

export class McpClient implements AsyncDisposable {
  /** Every message, in order. */
  readonly came: Rpc[] = []
  readonly #waiting = new Map<string | number, (outcome: Outcome) => void>()
  readonly #options: ClientOptions
  #wire: Wire | undefined
  #lastId = 0

  constructor(options: ClientOptions) {
    this.#options = options
  }

  async connect(openWire: OpenWire): Promise<void> {
    this.#wire = await openWire({
      message: (rpc) => this.#take(rpc),
      failed: (id, why) => this.#settle(id, { kind: 'none', why }),
    })
    const { capabilities = {} } = this.#options
    const clientInfo = { name: 'gateway-conformance', version: '1.0.0' }
    const asked = { protocolVersion: VERSION, capabilities, clientInfo }
    const begun = await this.request('initialize', asked)
    if (begun.kind !== 'result') throw new Error(`initialize: ${JSON.stringify(begun)}`)
    await this.notify('notifications/initialized')
    await this.#wire.ready()
  }

  async request(method: string, params: object = {}, id?: string | number): Promise<Outcome> {
    return await this.begin(method, params, id).outcome
  }

  /** A request whose answer is awaited later. */
  begin(
    method: string,
    params: object = {},
    given?: string | number,
  ): { readonly id: string | number; readonly outcome: Promise<Outcome> } {
    this.#lastId += 1
    const id = given ?? this.#lastId
    const { promise, resolve } = Promise.withResolvers<Outcome>()
    const timer = setTimeout(() => {
      this.#settle(id, { kind: 'none', why: `no answer within ${SILENCE_MS / 1000} s` })
    }, SILENCE_MS)
    this.#waiting.set(id, (outcome) => {
      clearTimeout(timer)
      resolve(outcome)
    })
    const message = { jsonrpc: '2.0', id, method, params: { ...params } }
    this.#send(message).catch((error: unknown) =>
      this.#settle(id, { kind: 'none', why: String(error) }),
    )
    return { id, outcome: promise }
  }

  async notify(method: string, params: object = {}): Promise<void> {
    await this.#send({ jsonrpc: '2.0', method, params: { ...params } })
  }

  /** Notifications of one method that came so far. */
  told(method: string): readonly Readonly<Record<string, unknown>>[] {
    return this.came.flatMap((rpc) => (rpc.method === method ? [rpc.params ?? {}] : []))
  }

  answersTo(id: string | number): number {
    return this.came.filter((rpc) => rpc.method === undefined && rpc.id === id).length
  }

  /** Whether any message holds these words. */
  hasSeen(words: string): boolean {
    return this.came.some((rpc) => JSON.stringify(rpc).includes(words))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const id of this.#waiting.keys()) {
      this.#settle(id, { kind: 'none', why: 'the client has left' })
    }
    await this.#wire?.[Symbol.asyncDispose]()
  }

  async #send(message: Rpc): Promise<void> {
    await this.#wire?.send(message)
  }

  #settle(id: Rpc['id'], outcome: Outcome): void {
    if (id === undefined || id === null) return
    this.#waiting.get(id)?.(outcome)
    this.#waiting.delete(id)
  }

  #take(rpc: Rpc): void {
    this.came.push(rpc)
    const { id, method, params = {}, result, error } = rpc
    if (method !== undefined) {
      if (id !== undefined && id !== null) void this.#answer(id, method, params)
    } else if (error) this.#settle(id, { kind: 'error', ...error })
    else this.#settle(id, { kind: 'result', result: result ?? {} })
  }

  async #answer(id: string | number, method: string, params: Readonly<Record<string, unknown>>) {
    const given = method === 'ping' ? {} : this.#options.answer?.(method, params)
    const answer = given
      ? { result: given as Readonly<Record<string, unknown>> }
      : { error: { code: -32_601, message: `There is no ${method}` } }
    await this.#send({ jsonrpc: '2.0', id, ...answer }).catch(() => undefined)
  }
}

/** A client that has shaken hands. The caller closes it. */
export async function openClient(
  openWire: OpenWire,
  options: ClientOptions = {},
): Promise<McpClient> {
  const client = new McpClient(options)
  try {
    await client.connect(openWire)
    return client
  } catch (error) {
    await client[Symbol.asyncDispose]()
    throw error
  }
}

/** Whether it came about in the time in which an answer is awaited. */
export async function comes(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  const end = performance.now() + SILENCE_MS
  while (!(await holds())) {
    if (performance.now() > end) return false
    await pause(20)
  }
  return true
}
