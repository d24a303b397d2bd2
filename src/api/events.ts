/**
 * The route by which a page learns that something changed: one event for each record of the audit log, and a number that
 * grows with the notices. An event names the kind and the subject of its record and nothing else; the page then reads
 * what it shows anew.
 */
import { z } from 'zod'
import type { AuditKind } from '../kernel/audit-kinds.ts'
import type { Audit } from '../kernel/ports.ts'
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
    input: { readonly after?: number; readonly notices?: number }
    output: {
      readonly boot: string
      readonly after: number
      readonly notices: number
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
}

const WAIT_MS = 20_000
const MOST_EVENTS = 200

export function eventRoutes({ facts, audit, notices }: EventDeps): Routes<EventContract> {
  return {
    'events.follow': {
      surface: 'any',
      input: z.strictObject({
        after: z.int().min(0).exactOptional(),
        notices: z.int().min(0).exactOptional(),
      }),
      async handle({ after, notices: seen = notices.version }, signal) {
        if (after === undefined) {
          const at = await audit.grown(0, AbortSignal.abort())
          return { boot: bootOf(facts), after: at, notices: notices.version, events: [] }
        }
        const either = new AbortController()
        const wait = AbortSignal.any([signal, either.signal, AbortSignal.timeout(WAIT_MS)])
        const waiting = [audit.grown(after, wait), notices.changed(seen, wait)]
        await Promise.race(waiting)
        either.abort()
        await Promise.all(waiting)
        const records = await audit.read({ after, limit: MOST_EVENTS })
        const events = records.map(({ kind, subject }) => ({
          kind,
          ...(subject !== undefined && { subject }),
        }))
        const at = records.at(-1)?.seq ?? after
        return { boot: bootOf(facts), after: at, notices: notices.version, events }
      },
    },
  }
}

function bootOf({ pid, startedAt }: EventDeps['facts']): string {
  return `${pid}-${startedAt}`
}
