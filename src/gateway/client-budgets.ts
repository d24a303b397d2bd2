/**
 * The budgets of clients: calls in a minute, and bytes of results in a day. Whatever way a call of a client takes, through a
 * request or as a step of a flow, it is counted here before it comes to the door. Counted in this process; a restart begins
 * anew.
 */
import type { Audit } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { ClientBudget, Clients } from '../ports/client-port.ts'
import { createRateLimit } from '../text/rate-limit.ts'

export interface BudgetDeps {
  readonly owner: PrincipalId
  readonly clients: Pick<Clients, 'find'>
  readonly audit: Pick<Audit, 'append'>
  readonly now: () => number
}

const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

export class ClientBudgets {
  readonly #deps: BudgetDeps
  readonly #meters = new Map<string, Meter>()
  readonly #mayRecord: () => boolean

  constructor(deps: BudgetDeps) {
    this.#deps = deps
    this.#mayRecord = createRateLimit({ atOnce: 10, perSecond: 1 / 60 }, deps.now)
  }

  /** Counts one call; the sentence for the client if it has none left. */
  take(name: string): string | undefined {
    const limits = this.#limitsOf(name)
    const refusal = limits && this.#meterOf(name).take(limits)
    if (refusal !== undefined && this.#mayRecord()) {
      const { audit, owner } = this.#deps
      const details = { reason: refusal }
      audit.append({ kind: 'gateway.limited', principal: owner, subject: name, details })
    }
    return refusal
  }

  /** Counts one call of a flow, which can wait; how long, if the client has none left. */
  waitMs(name: string): number | undefined {
    const { callsPerMinute } = this.#limitsOf(name) ?? {}
    return callsPerMinute === undefined ? undefined : this.#meterOf(name).call(callsPerMinute)
  }

  /** After the client was given this. */
  gave(name: string, result: unknown): void {
    if (this.#limitsOf(name)?.bytesPerDay === undefined) return
    this.#meterOf(name).give(Buffer.byteLength(JSON.stringify(result)))
  }

  #limitsOf(name: string): ClientBudget | undefined {
    return this.#deps.clients.find(name)?.limits
  }

  #meterOf(name: string): Meter {
    const meter = this.#meters.get(name) ?? new Meter(this.#deps.now)
    this.#meters.set(name, meter)
    return meter
  }
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

  take({ callsPerMinute, bytesPerDay }: ClientBudget): string | undefined {
    this.#turn(this.#now())
    if (bytesPerDay !== undefined && this.#bytes >= bytesPerDay) {
      return `The owner gives this client ${bytesPerDay} bytes of results a day, and they are used up; the next day begins at midnight UTC.`
    }
    const ms = callsPerMinute === undefined ? undefined : this.call(callsPerMinute)
    if (ms === undefined) return undefined
    return `The owner gives this client ${callsPerMinute} calls a minute, and they are used up; try again in ${Math.ceil(ms / 1000)} seconds.`
  }

  /** Undefined if the call is within the minute. */
  call(most: number): number | undefined {
    const now = this.#now()
    while ((this.#calls[0] ?? now) <= now - MINUTE_MS) this.#calls.shift()
    if (this.#calls.length >= most) return (this.#calls[0] ?? now) + MINUTE_MS - now
    this.#calls.push(now)
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
