/** The rule until labels and approvals exist: the owner's own calls are allowed, everybody else's are refused. */
import type { Policy } from '../kernel/ports.ts'

export function createOwnerOnlyPolicy(): Policy {
  return {
    decide(call) {
      if (call.principal.kind === 'owner') return { kind: 'allow', rule: 'owner.direct' }
      return { kind: 'deny', rule: 'owner.only', reason: 'Only the owner may call tools' }
    },
  }
}
