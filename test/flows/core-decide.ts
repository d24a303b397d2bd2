/** The real policy's verdict on a call that was only predicted, for an owner without grants. */
import type { ForeseenCall } from '../../src/flows/check/foresee.ts'
import type { Verdict } from '../../src/kernel/tool-call.ts'
import { decide } from '../../src/policy/decide.ts'

export function decideFor({ facts, args, plan, control }: ForeseenCall): Verdict {
  return decide({
    principal: 'owner',
    facts,
    args: args.map(({ name, role, label }) => ({ name, role, label, isEndorsed: false })),
    task: { id: 'task', step: 'step', plan, control, callsBefore: 0 },
    grants: [],
  })
}
