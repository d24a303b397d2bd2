/** Routes about the audit log: reading, searching and verifying it, and resealing it after damage. */
import { z } from 'zod'
import type { AuditRecord, VerifyReport } from '../kernel/audit-record.ts'
import type { Audit } from '../kernel/ports.ts'
import type { Principal } from '../kernel/principal.ts'
import { nothing, words } from './fields.ts'
import type { Nothing, Routes } from './route.ts'

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
      readonly limit: number
    }
    output: { readonly records: readonly AuditRecord[] }
  }
  'audit.verify': { surface: 'any'; input: { readonly head?: string }; output: VerifyReport }
  'audit.reseal': { input: Nothing; output: { readonly kept: string } }
}

export interface AuditDeps {
  readonly principal: Principal
  readonly audit: Pick<Audit, 'read' | 'search' | 'verify' | 'reseal'>
}

const limit = z.int().min(1).max(10_000)
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
        limit,
      }),
      handle: async (query) => ({ records: await audit.search(query) }),
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
