/** One server behind the relay: a process that speaks MCP over lines, started anew after it ended. */
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Backend } from '../adapters/adapter.ts'
import { parseRpc, type Rpc } from '../client/wire.ts'
import type { Answer, Fault, Params } from './fault.ts'

export interface BackendEvents {
  /** A request or notification of the server. */
  said(rpc: Rpc): void
  /** A second answer to the same request. */
  again(id: number, answer: Answer): void
  ended(): void
}

/** Requests under way, by the id that the server was given. */
export interface Pending {
  lastId: number
  readonly waiting: Map<number, (answer: Answer) => void>
}

export const newPending = (): Pending => ({ lastId: 0, waiting: new Map() })

const GONE: Answer = { error: { code: -32_000, message: 'The server ended' } }

export class RelayBackend implements Disposable {
  readonly name: string
  readonly #backend: Backend
  readonly #fault: Fault
  readonly #events: BackendEvents
  readonly #capabilities: unknown
  readonly #pending: Pending
  readonly #own = new Set<number>()
  #process: ChildProcessWithoutNullStreams | undefined
  #starts = 0
  #isOver = false

  constructor(
    backend: Backend,
    fault: Fault,
    {
      events,
      pending,
      capabilities,
    }: {
      readonly events: BackendEvents
      readonly pending: Pending
      readonly capabilities: unknown
    },
  ) {
    this.name = backend.name
    this.#backend = backend
    this.#fault = fault
    this.#events = events
    this.#pending = pending
    this.#capabilities = capabilities
  }

  /** `begun` gets the id under which the server knows the request. */
  async request(method: string, params: Params, begun?: (id: number) => void): Promise<Answer> {
    if (!this.#process && !(await this.#start())) return GONE
    this.#pending.lastId += 1
    const id = this.#pending.lastId
    const { promise, resolve } = Promise.withResolvers<Answer>()
    this.#pending.waiting.set(id, resolve)
    this.#own.add(id)
    begun?.(id)
    const own = this.#fault.forward?.(method, params) ?? params
    this.send({ id, method, params: tokenFor(id, own) })
    return await promise
  }

  send(rpc: Rpc): void {
    this.#process?.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...rpc })}\n`)
  }

  [Symbol.dispose](): void {
    this.#isOver = true
    this.#process?.kill('SIGKILL')
  }

  async #start(): Promise<boolean> {
    this.#starts += 1
    const isBarred = this.#fault.does === 'never restart' && this.#starts > 1
    if (this.#isOver || isBarred) return false
    const [program, ...args] = this.#backend.command
    const child = spawn(program, args, { stdio: ['pipe', 'pipe', 'pipe'] })
    this.#process = child
    child.stdin.on('error', () => undefined)
    child.once('exit', () => this.#lose(child))
    createInterface({ input: child.stdout }).on('line', (line) => this.#take(line))
    const clientInfo = { name: 'relay', version: '1' }
    const asked = { protocolVersion: '2025-11-25', capabilities: this.#capabilities, clientInfo }
    const begun = await this.request('initialize', asked)
    this.send({ method: 'notifications/initialized' })
    return begun.result !== undefined
  }

  #lose(child: ChildProcessWithoutNullStreams): void {
    if (this.#process !== child) return
    this.#process = undefined
    for (const id of this.#own) this.#settle(id, GONE)
    this.#events.ended()
  }

  #settle(id: number, answer: Answer): boolean {
    const settle = this.#pending.waiting.get(id)
    this.#pending.waiting.delete(id)
    this.#own.delete(id)
    settle?.(answer)
    return settle !== undefined
  }

  #take(line: string): void {
    const rpc = parseRpc(line)
    if (typeof rpc !== 'object' || rpc === null) {
      if (this.#fault.does === 'end on garbage') this.#events.ended()
      return
    }
    const { id, method, result, error } = rpc
    if (method !== undefined) this.#events.said(rpc)
    else if (typeof id === 'number') {
      const answer = error ? { error } : { result: result ?? {} }
      if (!this.#settle(id, answer)) this.#events.again(id, answer)
    }
  }
}

/** Progress is asked for under the id that the server knows. */
function tokenFor(id: number, params: Params): Params {
  const { _meta: meta } = params
  if (typeof meta !== 'object' || meta === null || !('progressToken' in meta)) return params
  return { ...params, _meta: { ...meta, progressToken: id } }
}
