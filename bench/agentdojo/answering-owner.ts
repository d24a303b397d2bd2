/** An owner who answers every question of the real approval queue at once: yes to every call of it, or no. */
import { OWNER } from '../../src/kernel/principal.ts'
import type { Asked } from '../../src/kernel/approval.ts'
import type { ShownApproval } from '../../src/kernel/approval-port.ts'
import type { Approvals } from '../../src/kernel/ports.ts'
import type { OwnedApprovals } from '../../src/policy/approvals/open-approvals.ts'

export interface AnsweringOwner {
  readonly approvals: Approvals
  /** The ids of the questions that were put. */
  readonly questions: Set<string>
  /** The calls that they were about. */
  readonly asked: Set<string>
  saysYes: boolean
}

/** `asksPlans`: the engine may ask about a whole plan; without it, every call is asked about alone. */
export function answerAll(queue: OwnedApprovals, asksPlans: boolean): AnsweringOwner {
  const questions = new Set<string>()
  const asked = new Set<string>()
  const owner: AnsweringOwner = {
    questions,
    asked,
    saysYes: true,
    approvals: {
      useGrant: (id) => queue.useGrant(id),
      ask: (one, signal) => answered([callIdOf(one)], queue.ask(one, signal)),
      askTogether: (all, signal) => answered(all.map(callIdOf), queue.askTogether(all, signal)),
      ...(asksPlans && {
        askPlan: (plan, signal) => answered([plan.callId], queue.askPlan(plan, signal)),
        usePlan: (use) => queue.usePlan(use),
      }),
    },
  }
  /** Follows the calls until their question is open, or until it turns out that an earlier answer serves. */
  async function answered<T>(all: readonly string[], asking: Promise<T>): Promise<T> {
    const done = new AbortController()
    const open = all.map(async (callId) => {
      asked.add(callId)
      const question = await queue.follow(callId, done.signal)
      if (question && !questions.has(question.id)) await answer(question)
    })
    try {
      return await asking
    } finally {
      done.abort()
      await Promise.all(open)
    }
  }
  async function answer({ id, items, needsFullView }: ShownApproval): Promise<void> {
    questions.add(id)
    if (needsFullView) await queue.show(id, true)
    if (!owner.saysYes) {
      await queue.answer({ id, allow: [], by: OWNER.id }, 'terminal')
      return
    }
    const servers = Map.groupBy(items, ({ tool }) => tool.server)
    for (const [server, calls] of servers) {
      const allow = calls.map(({ digest }) => digest)
      await queue.answer({ id, allow, server, by: OWNER.id }, 'terminal')
    }
  }
  return owner
}

function callIdOf({ request }: Asked): string {
  return request.callId
}
