/**
 * The owner's yes that comes with the command itself. It is his to give only where he wrote everything: for a call that
 * somebody else's words had a part in, he has to see the question.
 */
import type { Asked } from '../../kernel/approval.ts'
import type { Approvals } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { ApprovalsRooms } from './approvals-rooms.ts'
import type { AskQueue } from './ask-queue.ts'
import type { GrantBook } from './grant-book.ts'

export function consentTo(
  { owner }: Pick<ApprovalsRooms, 'owner'>,
  queue: Pick<AskQueue, 'take'>,
  book: Pick<GrantBook, 'useGrant'>,
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
    useGrant: (id) => book.useGrant(id),
  }
}

function isAllOwn({ request: { principal, task, args } }: Asked): boolean {
  const isOwnPlan = task.plan === 'user' && task.control.integrity === 'user' && !task.template
  return (
    principal.kind === 'owner' &&
    isOwnPlan &&
    Object.values(args).every(({ label }) => label.integrity === 'user')
  )
}
