/**
 * Waits until a call of a question is answered, in any process. Ends the question when its deadline passes, by the
 * system clock or by the monotonic clock, or when its caller gives up. While the database of the store is away nobody can
 * answer, and nothing is lost: it is only asked again.
 */
import type { ApprovalRow } from '../../kernel/approval-port.ts'
import { isStoreAway } from '../is-store-away.ts'
import { type ApprovalsDeps, CLOCK_SLACK_MS } from './approvals-deps.ts'
import { approvalEvent, itemDetails } from './record-event.ts'
import { tellIfUnseen, withdrawNotice } from './tell-if-unseen.ts'
import type { Wakers } from './wakers.ts'

const POLL_MS = 1000

export interface Waiting {
  readonly deps: ApprovalsDeps
  readonly wakers: Wakers
  /** Aborts when this process is about to end: its questions stay open for the next one. */
  readonly ending: AbortSignal
}

/** The row after the wait; still `pending` if the wait ended only because this process ends, or because of `leave`. */
export async function waitForAnswer(
  waiting: Waiting,
  first: ApprovalRow,
  signal: AbortSignal,
  leave?: AbortSignal,
): Promise<ApprovalRow> {
  const { deps, wakers, ending } = waiting
  const { now, monotonic, pollMs = POLL_MS } = deps
  using _attending = wakers.attend(first.question)
  const leaving = leave ? AbortSignal.any([ending, leave]) : ending
  const either = AbortSignal.any([signal, leaving])
  const deadline = monotonic() + Math.min(first.answerBy - first.askedAt, first.answerBy - now())
  let row = first
  while (row.state === 'pending' && !leaving.aborted) {
    const left = Math.min(deadline - monotonic(), row.answerBy - now())
    try {
      if (left <= 0 || isOver(row, now())) await endCalls(deps, [row], 'expired')
      else if (signal.aborted) await endCalls(deps, [row], 'void')
      else await wakers.wait(row.question, Math.min(pollMs, left), either)
      row = await lookAgain(deps, row)
    } catch (error) {
      if (!isStoreAway(error) || signal.aborted) throw error
      await wakers.wait(row.question, pollMs, either)
    }
    tellIfUnseen(deps, wakers, row)
  }
  if (row.state !== 'pending') withdrawNotice(deps, row)
  return row
}

/** The deadline has passed, or the clock was set back. */
export function isOver({ askedAt, answerBy }: ApprovalRow, now: number): boolean {
  return now >= answerBy || now < askedAt - CLOCK_SLACK_MS
}

/** Closes the calls that are still pending, and records each. */
export async function endCalls(
  { owner, rows, audit }: ApprovalsDeps,
  calls: readonly ApprovalRow[],
  as: 'expired' | 'void',
): Promise<void> {
  const digests = calls.map(({ digest }) => digest)
  const ended = new Set(await rows.close(owner, digests, as))
  for (const call of calls.filter(({ digest }) => ended.has(digest))) {
    audit.append(
      approvalEvent(`approval.${as}`, owner, call.question, { items: [itemDetails(call)] }),
    )
  }
}

/** A row that was deleted because of its age counts as expired. */
async function lookAgain({ owner, rows }: ApprovalsDeps, row: ApprovalRow): Promise<ApprovalRow> {
  const all = await rows.ofQuestion(owner, row.question)
  return all.find(({ digest }) => digest === row.digest) ?? { ...row, state: 'expired' }
}
