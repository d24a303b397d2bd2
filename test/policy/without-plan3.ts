/** A policy that does not hear that a plan was made after words of others. A control for PLAN-3. */
import type { Policy } from '../../src/kernel/ports.ts'
import type { CallRequest } from '../../src/kernel/tool-call.ts'

export function withoutPlan3(real: Policy): Policy {
  return {
    decide: (request, facts) => real.decide(trusting(request), facts),
    open: (request, verdict) => real.open(request, verdict),
    ...(real.grounds && { grounds: real.grounds.bind(real) }),
  }
}

function trusting(request: CallRequest): CallRequest {
  const { asksForWrites: _writes, asksForRead: _read, ...task } = request.task
  return { ...request, task }
}
