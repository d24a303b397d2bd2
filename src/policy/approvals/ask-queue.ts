/**
 * The kernel's side of the approval queue: a call finds its answer or waits for it, and spends it. An allowed answer is
 * spent by one conditional UPDATE on disk before `ask` returns, so it can never be spent twice.
 */
import type { Answer, Asked } from '../../kernel/approval.ts'
import { type ApprovalRow, WITH_THE_COMMAND } from '../../kernel/approval-port.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'
import type { Approvals } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import { USE_MS } from './approvals-deps.ts'
import type { GrantIndex } from './grant-index.ts'
import { type FrozenCall, freezeCall, putQuestion, type Refused } from './put-question.ts'
import { approvalEvent, itemDetails } from './record-event.ts'
import { isOver, waitForAnswer, type Waiting } from './wait-for-answer.ts'

export class AskQueue implements Pick<Approvals, 'ask' | 'askTogether'> {
  readonly #waiting: Waiting
  readonly #index: Pick<GrantIndex, 'reload'>
  readonly #serially = createSerialQueue()
  /** Keys of calls whose common question was too large to be put. */
  readonly #refused = new Set<string>()

  constructor(waiting: Waiting, index: Pick<GrantIndex, 'reload'>) {
    this.#waiting = waiting
    this.#index = index
  }

  async ask(asked: Asked, signal: AbortSignal, leave?: AbortSignal): Promise<Answer> {
    const row = await this.#rowFor(asked, signal, leave !== undefined)
    if (isRefusal(row)) return row
    const answered = await waitForAnswer(this.#waiting, row, signal, leave)
    if (answered.state === 'pending' && leave?.aborted) return refusedBy('waiting')
    // Also after another process received the answer: the grants that came with it count here too.
    if (row.state === 'pending') await this.#index.reload()
    if (signal.aborted) return refusedBy('void')
    return await this.#conclude(answered)
  }

  /** The row of the call, asked about now or earlier. */
  async #rowFor(
    asked: Asked,
    signal: AbortSignal,
    mayLeave: boolean,
  ): Promise<ApprovalRow | Refused> {
    const call = freezeCall(asked)
    if (isRefusal(call)) return call
    if (signal.aborted) return refusedBy('void')
    if (this.#refused.has(call.key)) return TOO_MANY_CALLS
    const put = await this.#findOrPut([call], mayLeave)
    if (isRefusal(put)) return put
    return put[0] ?? refusedBy('void')
  }

  async askTogether(asked: readonly Asked[], signal: AbortSignal): Promise<void> {
    const calls = asked.map(freezeCall).flatMap((call) => (isRefusal(call) ? [] : [call]))
    if (calls.length === 0) return
    const put = await this.#findOrPut(calls)
    if (isRefusal(put)) return this.#refuse(calls, put)
    await Promise.all(put.map((row) => waitForAnswer(this.#waiting, row, signal)))
    await this.#index.reload()
  }

  /**
   * Each call gets the refusal of the whole question from its own `ask`. Otherwise a loop too long for one question
   * would be asked about call by call, until nobody reads any more.
   */
  #refuse(calls: readonly FrozenCall[], refusal: Refused): void {
    if (calls.length < 2 || refusal.rule !== 'approval.too-large') return
    if (this.#refused.size > MOST_REFUSED) this.#refused.clear()
    for (const { key } of calls) this.#refused.add(key)
  }

  /** For an owner who gave consent together with the command. */
  async take(asked: Asked, by: PrincipalId): Promise<Answer> {
    const { deps } = this.#waiting
    const call = freezeCall(asked)
    if (isRefusal(call)) return call
    const put = await putQuestion(deps, [{ ...call, isRepeat: false }], { isCounted: false })
    if (isRefusal(put)) return put
    const allow = put.map(({ digest }) => digest)
    const at = deps.now()
    const answer = { among: allow, allow, by, how: WITH_THE_COMMAND, at, useBy: at + USE_MS }
    const [row] = await deps.rows.answer(deps.owner, put[0]?.question ?? '', answer)
    if (!row) return refusedBy('void')
    const details = { allowed: [itemDetails(row)], refused: [], how: WITH_THE_COMMAND }
    await deps.audit.appendDurable(approvalEvent('approval.answered', by, row.question, details))
    return await this.#conclude(row)
  }

  /** The known answers to exactly these calls, and one new question for the calls without one. */
  #findOrPut(
    calls: readonly FrozenCall[],
    mayLeave = false,
  ): Promise<readonly ApprovalRow[] | Refused> {
    const { deps, wakers } = this.#waiting
    return this.#serially(async () => {
      const found = await Promise.all(calls.map(({ key }) => deps.rows.ofKey(deps.owner, key)))
      const holds = (row: ApprovalRow): boolean => isHeld(row, deps.now())
      const known = found.flatMap((all) => all.find(holds) ?? [])
      const open = calls.flatMap((call, at) => {
        const before = found[at] ?? []
        if (before.some(holds)) return []
        return [{ ...call, isRepeat: before.some(({ state }) => state === 'spent') }]
      })
      if (open.length === 0) return known
      const put = await putQuestion(deps, open, { mayLeave })
      if (isRefusal(put)) return put
      for (const { callId } of put) wakers.wake(callId)
      return [...known, ...put]
    })
  }

  /** Spends an allowed answer. Of all attempts, in any process, one succeeds. */
  async #conclude(row: ApprovalRow): Promise<Answer> {
    const { owner, rows, audit, now } = this.#waiting.deps
    if (row.state !== 'allowed') return refusedBy(row.state)
    if (this.#waiting.ending.aborted) return refusedBy('ending')
    if (isTooOld(row, now())) return refusedBy('expired')
    if (!(await rows.spend(owner, row.digest, now()))) return refusedBy('spent')
    const items = [itemDetails(row)]
    audit.append(approvalEvent('approval.spent', owner, row.question, { items }))
    return { kind: 'approved', approval: row.digest, by: owner }
  }
}

const MOST_REFUSED = 100_000

const TOO_MANY_CALLS: Refused = {
  kind: 'refused',
  rule: 'approval.too-large',
  reason: 'There are too many calls for a person to read in one question; make the list shorter',
}

/** A void, spent or expired answer does not count: the same call is asked again. Any other answer holds, also a no. */
export function isHeld(row: ApprovalRow, now: number): boolean {
  if (row.state === 'allowed') return !isTooOld(row, now)
  return row.state !== 'void' && row.state !== 'spent'
}

/** Expired, also if the clock was set back since. */
function isTooOld(row: ApprovalRow, now: number): boolean {
  return now >= row.useBy || (now < row.answerBy && isOver(row, now))
}

function isRefusal(value: object): value is Refused {
  return 'kind' in value && value.kind === 'refused'
}

const REASONS = {
  pending: 'Cordon is ending; the question stays open',
  ending: 'Cordon is ending; what was allowed was not used',
  waiting: 'The owner has not answered yet; the question stays open',
  denied: 'The owner said no',
  spent: 'What was allowed was used by another call',
  expired: 'Nobody answered in time, which is a no',
  void: 'Nobody waits for the answer any more',
} as const

function refusedBy(state: keyof typeof REASONS): Refused {
  const rule = `approval.${state === 'pending' ? 'ending' : state}` as const
  return { kind: 'refused', rule, reason: REASONS[state] }
}
