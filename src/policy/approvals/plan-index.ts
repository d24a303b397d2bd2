/**
 * The plans that the owner allowed: asked once per run, looked up by the run, counted call by call. A decision reads the
 * copy in memory without waiting; the number of calls left is checked on disk, when a call is counted.
 */
import type { ApprovalRow } from '../../kernel/approval-port.ts'
import type { ApprovedPlan, AskedPlan, PlanUse } from '../../kernel/plan-bounds.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'
import type { ApprovalsDeps } from './approvals-deps.ts'
import { isHeld } from './ask-queue.ts'
import { keyOfPlan, planIn, putPlan } from './put-plan.ts'
import { approvalEvent } from './record-event.ts'
import { waitForAnswer, type Waiting } from './wait-for-answer.ts'

interface HeldPlan extends ApprovedPlan {
  readonly question: string
  readonly expiresAt: number
}

export class PlanIndex {
  readonly #waiting: Waiting
  readonly #deps: ApprovalsDeps
  readonly #serially = createSerialQueue()
  /** By task. */
  #held: ReadonlyMap<string, HeldPlan> = new Map()

  constructor(waiting: Waiting) {
    this.#waiting = waiting
    this.#deps = waiting.deps
  }

  planFor(taskId: string): ApprovedPlan | undefined {
    const plan = this.#held.get(taskId)
    return plan && plan.expiresAt > this.#deps.now() ? plan : undefined
  }

  /** True if the plan of this run is allowed, now or earlier. Any other answer leaves every call to its own question. */
  async askPlan(asked: AskedPlan, signal: AbortSignal): Promise<boolean> {
    if (!asked.isUnderWay && asked.bounds.steps.length > 0 && !signal.aborted) {
      const row = await this.#serially(() => this.#findOrPut(asked))
      if (row) await waitForAnswer(this.#waiting, row, signal)
    }
    await this.reload()
    return this.planFor(asked.taskId) !== undefined
  }

  async usePlan(use: PlanUse): Promise<boolean> {
    const { owner, rows, audit, now } = this.#deps
    const plan = [...this.#held.values()].find(({ approval }) => approval === use.approval)
    if (!plan || !(await rows.usePlan(owner, use, now()))) return false
    this.#held = new Map(this.#held).set(plan.taskId, {
      ...plan,
      used: new Map([...plan.used, [use.callId, use.node]]),
    })
    const { approval: digest, node, callId } = use
    audit.append(approvalEvent('approval.used', owner, plan.question, { digest, node, callId }))
    return true
  }

  /** Replaces the copy in memory with the rows on disk. */
  async reload(): Promise<void> {
    const { owner, rows, now } = this.#deps
    const allowed = await rows.allowed(owner, now())
    const held = await Promise.all(allowed.map((row) => this.#restore(row)))
    this.#held = new Map(held.flatMap((plan) => (plan ? [[plan.taskId, plan]] : [])))
  }

  async #restore(row: ApprovalRow): Promise<HeldPlan | undefined> {
    const { digest, taskId, question, useBy } = row
    const bounds = planIn(row)
    if (!bounds) return undefined
    const used = await this.#deps.rows.planUses(this.#deps.owner, digest)
    return { approval: digest, taskId, bounds, used, question, expiresAt: useBy }
  }

  /** The earlier question about exactly this plan of this run, or a new one. */
  async #findOrPut(asked: AskedPlan): Promise<ApprovalRow | undefined> {
    const { deps, wakers } = this.#waiting
    const key = keyOfPlan(asked)
    if (key === undefined) return undefined
    const before = await deps.rows.ofKey(deps.owner, key)
    const held = before.find((row) => isHeld(row, deps.now()))
    if (held) return held
    const put = await putPlan(deps, asked, key)
    if (put) wakers.wake(put.callId)
    return put
  }
}
