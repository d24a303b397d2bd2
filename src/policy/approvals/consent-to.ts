/**
 * The owner's consent given together with the command. Only valid if the owner wrote everything in the call: a call
 * that untrusted text had a part in must be shown to them first.
 */
import type { Asked } from '../../kernel/approval.ts'
import type { Approvals } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { ApprovalsDeps } from './approvals-deps.ts'
import type { AskQueue } from './ask-queue.ts'
import type { GrantIndex } from './grant-index.ts'

export function consentTo(
  { owner }: Pick<ApprovalsDeps, 'owner'>,
  queue: Pick<AskQueue, 'take'>,
  index: Pick<GrantIndex, 'useGrant'>,
  by: PrincipalId,
): Approvals {
  return {
    async ask(asked) {
      if (by === owner && isAllOwn(asked)) return await queue.take(asked, by)
      return {
        kind: 'refused',
        rule: 'approval.not-own-words',
        reason: 'Not everything in it is your own words, so you have to see it before you allow it',
      }
    },
    askTogether: () => Promise.resolve(),
    useGrant: (id) => index.useGrant(id),
  }
}

function isAllOwn({ request: { principal, task, args } }: Asked): boolean {
  const { integrity, times } = task.control
  const isOwnChoice = integrity === 'user' && times === undefined
  const isAsked = task.asksForWrites === true || task.asksForRead === true
  const isOwnPlan = task.plan === 'user' && isOwnChoice && !task.template && !isAsked
  return (
    principal.kind === 'owner' &&
    isOwnPlan &&
    Object.values(args).every(({ label }) => label.integrity === 'user')
  )
}
