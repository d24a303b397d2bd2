/**
 * The budget of each client: calls in a minute, and bytes of results in a day. Reading a resource, a prompt or a completion
 * counts like a call of a tool. A call above the budget is answered with a sentence and never reaches the door. Counted in
 * this process; a restart begins anew.
 */
import type { Audit } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { ClientBudget, Clients } from '../ports/client-port.ts'
import { createRateLimit } from '../text/rate-limit.ts'
import type { HandleRequest } from './handle-request.ts'
import { INTERNAL_ERROR, RpcError } from './rpc-message.ts'
import { failed } from './show-call.ts'

export interface LimitDeps {
  readonly owner: PrincipalId
  readonly clients: Pick<Clients, 'find' | 'used'>
  readonly audit: Pick<Audit, 'append'>
  readonly now: () => number
}

/** The requests that reach a server. */
const COUNTED: ReadonlySet<string> = new Set([
  'tools/call',
  'resources/read',
  'resources/subscribe',
  'prompts/get',
  'completion/complete',
])

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export function limitClients(handle: HandleRequest, deps: LimitDeps): HandleRequest {
  const meters = new Map<string, Meter>()
  const mayRecord = createRateLimit({ atOnce: 10, perSecond: 1 / 60 }, deps.now)
  return async (request, exchange) => {
    const { name } = exchange.session.client
    deps.clients.used(name)
    const client = deps.clients.find(name)
    if (client) exchange.session.client = client // an edit holds for open connections too
    const limits = client?.limits
    if (!limits || !COUNTED.has(request.method)) return await handle(request, exchange)
    const meter = meters.get(name) ?? new Meter(deps.now)
    meters.set(name, meter)
    const refusal = meter.take(limits)
    if (refusal !== undefined) {
      if (mayRecord()) recordLimit(deps, name, refusal)
      if (request.method === 'tools/call') return failed(refusal)
      throw new RpcError(INTERNAL_ERROR, refusal)
    }
    const result = await handle(request, exchange)
    if (limits.bytesPerDay !== undefined) meter.give(Buffer.byteLength(JSON.stringify(result)))
    return result
  }
}

function recordLimit({ audit, owner }: LimitDeps, subject: string, reason: string): void {
  audit.append({ kind: 'gateway.limited', principal: owner, subject, details: { reason } })
}

/** A sliding minute of calls and a fixed day of bytes. */
class Meter {
  readonly #now: () => number
  readonly #calls: number[] = []
  #bytes = 0
  #day = 0

  constructor(now: () => number) {
    this.#now = now
  }

  /** Counts one call; the sentence for the client if it has none left. */
  take({ callsPerMinute, bytesPerDay }: ClientBudget): string | undefined {
    const now = this.#now()
    this.#turn(now)
    if (bytesPerDay !== undefined && this.#bytes >= bytesPerDay) {
      return `The owner gives this client ${bytesPerDay} bytes of results a day, and they are used up; the next day begins at midnight UTC.`
    }
    while ((this.#calls[0] ?? now) <= now - MINUTE_MS) this.#calls.shift()
    if (callsPerMinute !== undefined && this.#calls.length >= callsPerMinute) {
      const wait = Math.ceil(((this.#calls[0] ?? now) + MINUTE_MS - now) / 1000)
      return `The owner gives this client ${callsPerMinute} calls a minute, and they are used up; try again in ${wait} seconds.`
    }
    if (callsPerMinute !== undefined) this.#calls.push(now)
    return undefined
  }

  give(bytes: number): void {
    this.#turn(this.#now())
    this.#bytes += bytes
  }

  #turn(now: number): void {
    const day = Math.floor(now / DAY_MS)
    if (day !== this.#day) this.#bytes = 0
    this.#day = day
  }
}
