/** Routes about the audit log: reading, searching and verifying it, and resealing it after damage. */
import { z } from 'zod'
import type { AuditRecord, RecordProof, VerifyReport } from '../kernel/audit-record.ts'
import { CordonError } from '../kernel/error.ts'
import type { Audit } from '../kernel/ports.ts'
import type { Principal } from '../kernel/principal.ts'
import { countDays } from './count-days.ts'
import { nothing, words } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

/** A day in the time zone of this machine. */
export interface AuditDay {
  /** `2026-11-16` */
  readonly day: string
  readonly ran: number
  /** Hosts that a server may not reach, and calls that were refused. */
  readonly blocked: number
}

export interface AuditContract {
  'audit.read': {
    surface: 'any'
    input: { readonly after?: number; readonly limit: number }
    output: { readonly records: readonly AuditRecord[] }
  }
  'audit.search': {
    surface: 'any'
    input: {
      readonly text?: string
      readonly kind?: string
      readonly subject?: string
      readonly since?: string
      readonly until?: string
      readonly before?: number
      readonly limit: number
    }
    output: { readonly records: readonly AuditRecord[] }
  }
  /** One record and its place in the chain, computed anew. */
  'audit.prove': { surface: 'any'; input: { readonly seq: number }; output: RecordProof }
  /** Counts of calls and of blocked attempts for each of the last days, taken from the newest 10,000 records. */
  'audit.daily': {
    surface: 'any'
    input: { readonly days: number }
    output: { readonly days: readonly AuditDay[] }
  }
  'audit.verify': { surface: 'any'; input: { readonly head?: string }; output: VerifyReport }
  'audit.reseal': { input: Nothing; output: { readonly kept: string } }
}

export interface AuditDeps {
  readonly principal: Principal
  readonly audit: Pick<Audit, 'read' | 'search' | 'prove' | 'verify' | 'reseal'>
}

const limit = z.int().min(1).max(10_000)
/** Bounds the work of a page that is opened often; a busy log covers fewer days. */
const COUNTED = 10_000
const seq = z.int().min(1)
const time = z.iso.datetime({ offset: true }).exactOptional()

export function auditRoutes({ principal, audit }: AuditDeps): Routes<AuditContract> {
  return {
    'audit.read': {
      surface: 'any',
      input: z.strictObject({ after: z.int().min(0).exactOptional(), limit }),
      handle: async (window) => ({ records: await audit.read(window) }),
    },
    'audit.search': {
      surface: 'any',
      input: z.strictObject({
        text: words,
        kind: words,
        subject: words,
        since: time,
        until: time,
        before: seq.exactOptional(),
        limit,
      }),
      handle: async (query) => ({ records: await audit.search(query) }),
    },
    'audit.prove': {
      surface: 'any',
      input: z.strictObject({ seq }),
      async handle({ seq: wanted }) {
        const proof = await audit.prove(wanted)
        if (!proof) throw noSuchRecord(wanted)
        return proof
      },
    },
    'audit.daily': {
      surface: 'any',
      input: z.strictObject({ days: z.int().min(1).max(90) }),
      handle: async ({ days }) => ({
        days: countDays(await audit.read({ limit: COUNTED }), days, Date.now()),
      }),
    },
    'audit.verify': {
      surface: 'any',
      input: z.strictObject({ head: z.hex().length(64).exactOptional() }),
      handle: ({ head }) => audit.verify(head),
    },
    'audit.reseal': {
      surface: 'terminal',
      input: nothing,
      handle: () => audit.reseal(principal.id),
    },
  }
}

function noSuchRecord(wanted: number): CordonError {
  return new CordonError(
    'kernel.no-record',
    { exit: 2, hint: 'Run `cordon audit tail` to see the newest numbers' },
    `Cannot find record ${wanted} in the audit log`,
  )
}
