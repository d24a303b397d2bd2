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
  const { pollMs = POLL_MS } = deps
  using _attending = wakers.attend(first.question)
  const leaving = leave ? AbortSignal.any([ending, leave]) : ending
  const either = AbortSignal.any([signal, leaving])
  const leftOf = countdownOf(deps, first)
  const next = async (row: ApprovalRow): Promise<ApprovalRow> => {
    const left = leftOf(row)
    if (left <= 0) await endCalls(deps, [row], 'expired')
    else if (signal.aborted) await endCalls(deps, [row], 'void')
    else await wakers.wait(row.question, Math.min(pollMs, left), either)
    return await lookAgain(deps, row)
  }
  let row = first
  while (row.state === 'pending' && !leaving.aborted) {
    try {
      row = await next(row)
    } catch (error) {
      if (!isStoreAway(error) || signal.aborted) throw error
      await wakers.wait(row.question, pollMs, either)
    }
    tellIfUnseen(deps, wakers, row)
  }
  if (row.state !== 'pending') withdrawNotice(deps, row)
  return row
}

/** Milliseconds until nobody can answer any more, by whichever clock that comes first. */
function countdownOf(
  { now, monotonic }: ApprovalsDeps,
  { askedAt, answerBy }: ApprovalRow,
): (row: ApprovalRow) => number {
  const deadline = monotonic() + Math.min(answerBy - askedAt, answerBy - now())
  return (row) => {
    const left = Math.min(deadline - monotonic(), row.answerBy - now())
    return isOver(row, now()) ? 0 : left
  }
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
