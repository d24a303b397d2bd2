/** All questions that are open now, the oldest first; with `task`, only those of this run or turn. */
import type { JSX } from 'preact'
import { useLive } from '../live.ts'
import { ApprovalCard } from './approval-card.tsx'

export function OpenApprovals({ task }: { readonly task?: string }): JSX.Element | null {
  const live = useLive('approvals.list', {}, ['approval', 'call'])
  const open = (live.data.value?.approvals ?? []).filter(
    ({ state, taskId }) => state === 'pending' && (task === undefined || taskId === task),
  )
  if (open.length === 0) return null
  return (
    <>
      {open.toReversed().map((approval, at) => (
        <ApprovalCard
          key={approval.id}
          approval={approval}
          takesFocus={at === 0}
          onAnswered={() => void live.reload()}
        />
      ))}
    </>
  )
}
