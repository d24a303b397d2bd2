/** Routes about the policy: a replay decides earlier calls again, with permissions added or left out. */
import { z } from 'zod'
import type { ReplayReport, ReplayRequest } from '../text/replay-report.ts'
import type { Routes } from './route.ts'

export interface PolicyContract {
  'policy.replay': { surface: 'any'; input: ReplayRequest; output: ReplayReport }
}

export interface PolicyDeps {
  readonly replay: (request: ReplayRequest) => Promise<ReplayReport>
}

const tool = z
  .string()
  .max(500)
  .regex(/^[^.\s]+\.\S+$/)
const grant = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('tool'), tool }),
  z.strictObject({ kind: z.literal('flow'), origin: z.string().min(1).max(200), tool }),
])

export function policyRoutes({ replay }: PolicyDeps): Routes<PolicyContract> {
  return {
    'policy.replay': {
      surface: 'any',
      input: z.strictObject({
        days: z.int().min(1).max(3650),
        grants: z.array(grant).max(100),
        without: z.array(z.string().max(64)).max(100),
      }),
      handle: (request) => replay(request),
    },
  }
}
