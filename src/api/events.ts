/**
 * The route by which a page learns that something changed: one event for each record of the audit log, and numbers
 * that grow with the notices and with the traffic of servers. An event names the kind and the subject of its record and nothing else; the page then reads
 * what it shows anew.
 */
import { z } from 'zod'
import type { AuditKind } from '../kernel/audit-kinds.ts'
import type { Audit } from '../kernel/ports.ts'
import type { Changes } from '../text/changes.ts'
import type { KernelDeps } from './kernel.ts'
import type { Routes } from './route.ts'

export interface KernelEvent {
  readonly kind: AuditKind
  readonly subject?: string
}

export interface EventContract {
  /**
   * The events after these numbers; waits up to 20 seconds for one. Without numbers: where the stream is now. `boot` is
   * another one after a restart of the kernel, and then all that the page knows may be old.
   */
  'events.follow': {
    surface: 'any'
    input: { readonly after?: number; readonly notices?: number; readonly traffic?: number }
    output: {
      readonly boot: string
      readonly after: number
      readonly notices: number
      /** Grows with the connections of servers to hosts that they may reach. */
      readonly traffic: number
      readonly events: readonly KernelEvent[]
    }
  }
}

export interface EventDeps {
  readonly facts: Pick<KernelDeps['facts'], 'pid' | 'startedAt'>
  readonly audit: Pick<Audit, 'grown' | 'read'>
  readonly notices: {
    readonly version: number
    changed(after: number, signal: AbortSignal): Promise<void>
  }
  readonly traffic: Changes
}

const WAIT_MS = 20_000
const MOST_EVENTS = 200

export function eventRoutes(deps: EventDeps): Routes<EventContract> {
  const { facts, audit, notices, traffic } = deps
  const told = () => ({ boot: bootOf(facts), notices: notices.version, traffic: traffic.count })
  return {
    'events.follow': {
      surface: 'any',
      input: z.strictObject({ after: count, notices: count, traffic: count }),
      async handle({ after, ...seen }, signal) {
        if (after === undefined) {
          const at = await audit.grown(0, AbortSignal.abort())
          return { ...told(), after: at, events: [] }
        }
        await untilNews(deps, { ...told(), ...seen, after }, signal)
        const records = await audit.read({ after, limit: MOST_EVENTS })
        const events = records.map(({ kind, subject }) => ({
          kind,
          ...(subject !== undefined && { subject }),
        }))
        return { ...told(), after: records.at(-1)?.seq ?? after, events }
      },
    },
  }
}

const count = z.int().min(0).exactOptional()

/** Settles at the first of them, after 20 seconds, or when `signal` aborts. */
async function untilNews(
  { audit, notices, traffic }: EventDeps,
  seen: { readonly after: number; readonly notices: number; readonly traffic: number },
  signal: AbortSignal,
): Promise<void> {
  const either = new AbortController()
  const wait = AbortSignal.any([signal, either.signal, AbortSignal.timeout(WAIT_MS)])
  const waiting = [
    audit.grown(seen.after, wait),
    notices.changed(seen.notices, wait),
    traffic.until(() => traffic.count > seen.traffic, wait),
  ]
  await Promise.race(waiting)
  either.abort()
  await Promise.all(waiting)
}

function bootOf({ pid, startedAt }: EventDeps['facts']): string {
  return `${pid}-${startedAt}`
}
