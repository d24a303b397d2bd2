/**
 * The queue of questions to the owner, and the permissions they gave beyond one call. Questions outlive the process
 * that asked: each can be answered until its deadline, on any surface, and its answer is spent at most once.
 */
import type { ApprovalQueue, ApprovalRow, ShownApproval } from '../../kernel/approval-port.ts'
import type { Approvals } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { answerQuestion } from './answer-question.ts'
import { type ApprovalsDeps, KEEP_MS } from './approvals-deps.ts'
import { AskQueue } from './ask-queue.ts'
import { drawPlan } from './draw-plan.ts'
import { GrantIndex } from './grant-index.ts'
import { consentTo } from './consent-to.ts'
import { PlanIndex } from './plan-index.ts'
import { cannotAnswer } from './question-errors.ts'
import { approvalEvent, itemDetails } from './record-event.ts'
import { readCall, showQuestion } from './show-question.ts'
import { withdrawNotice } from './tell-if-unseen.ts'
import { endCalls, type Waiting } from './wait-for-answer.ts'
import { createWakers } from './wakers.ts'

export interface OwnedApprovals
  extends Required<Approvals>,
    ApprovalQueue,
    Pick<GrantIndex, 'grantsFor' | 'isEndorsed'>,
    Pick<PlanIndex, 'planFor'>,
    AsyncDisposable {}

const POLL_MS = 1000
const WAIT_MS = 20_000
const MOST_LISTED = 500
/** More rows than are ever stored. */
const ALL = 1_000_000

export async function openApprovals(deps: ApprovalsDeps): Promise<OwnedApprovals> {
  const ending = new AbortController()
  const wakers = createWakers()
  const index = new GrantIndex(deps)
  const waiting: Waiting = { deps, wakers, ending: ending.signal }
  const queue = new AskQueue(waiting, index)
  const plans = new PlanIndex(waiting)
  await index.reload()
  await plans.reload()
  await deps.rows.forget(deps.owner, deps.now() - KEEP_MS)
  await closeExpired(deps)
  return {
    ...createQueue(waiting, index),
    get version() {
      return wakers.all.count
    },
    async changed(after, signal) {
      const either = AbortSignal.any([signal, ending.signal])
      if (wakers.all.count <= after) await wakers.all.next(either, WAIT_MS)
    },
    ask: (asked, signal, leave) => queue.ask(asked, signal, leave),
    askTogether: (asked, signal) => queue.askTogether(asked, signal),
    useGrant: (id) => index.useGrant(id),
    grantsFor: (tool) => index.grantsFor(tool),
    isEndorsed: (taskId, value, place) => index.isEndorsed(taskId, value, place),
    planFor: (taskId) => plans.planFor(taskId),
    askPlan: (asked, signal) => plans.askPlan(asked, signal),
    usePlan: (use) => plans.usePlan(use),
    consented: (by) => consentTo(deps, queue, index, by),
    async [Symbol.asyncDispose]() {
      ending.abort()
    },
  }
}

function createQueue(
  { deps, wakers, ending }: Waiting,
  index: GrantIndex,
): Omit<ApprovalQueue, 'consented' | 'version' | 'changed'> {
  const { owner, rows, now, pollMs = POLL_MS } = deps
  const show = (found: readonly ApprovalRow[], id: string, full: boolean): ShownApproval => {
    const [first, ...rest] = found
    if (!first) throw cannotAnswer('unknown', id)
    wakers.markShown(id)
    return showQuestion([first, ...rest], {
      full,
      now: now(),
      redact: (text) => deps.redactor.redact(text),
      isWaitedFor: wakers.isAttended(id),
    })
  }
  const showById = async (id: string, full: boolean): Promise<ShownApproval> =>
    show(await rows.ofQuestion(owner, id), id, full)
  return {
    async list(all) {
      await closeExpired(deps)
      const questions = Map.groupBy(await rows.newest(owner, MOST_LISTED), (row) => row.question)
      const shown = [...questions].map(([id, found]) => show(found, id, false))
      return all ? shown : shown.filter(({ state }) => state === 'pending')
    },
    async show(id, full) {
      if (full) await rows.markSeen(owner, id)
      return await showById(id, full)
    },
    async answer(answer, how) {
      const grants = await answerQuestion(deps, index, answer, how)
      wakers.wake(answer.id)
      return { approval: await showById(answer.id, false), grants }
    },
    async follow(callId, signal) {
      const either = AbortSignal.any([signal, ending])
      while (!either.aborted) {
        const found = await rows.ofCall(owner, callId)
        const open = found.find(({ state }) => state === 'pending')
        if (open) return await showById(open.question, false)
        await wakers.wait(callId, pollMs, either)
      }
      return undefined
    },
    withdraw: (server, by) => withdraw({ deps, wakers }, index, server, by),
    grants: () => index.list(),
    drawPlan: (bounds) => drawPlan(bounds, true),
    revokeGrant: (id, by) => index.revoke(id, by),
  }
}

/** Closes all open questions about a server, and revokes its grants. */
async function withdraw(
  { deps, wakers }: Pick<Waiting, 'deps' | 'wakers'>,
  index: GrantIndex,
  server: ServerId,
  by: PrincipalId,
): Promise<void> {
  await index.revokeAll(server, by)
  const open = (await deps.rows.newest(deps.owner, ALL)).filter((row) => {
    return row.state === 'pending' && serversOf(row).has(server)
  })
  await endCalls(deps, open, 'void')
  for (const { question } of open) wakers.wake(question)
}

function serversOf(row: ApprovalRow): ReadonlySet<ServerId> {
  const { server, plan } = readCall(row)
  return new Set([server, ...(plan?.bounds.steps ?? []).map(({ tool }) => tool.server)])
}

/** Closes questions that expired while no call waited. With a damaged audit log they are closed without a record. */
async function closeExpired(deps: ApprovalsDeps): Promise<void> {
  const { owner, rows, audit, now } = deps
  const closed = await rows.closeExpired(owner, now())
  for (const row of closed) withdrawNotice(deps, row)
  if (audit.damage !== undefined) return
  for (const row of closed) {
    const details = { items: [itemDetails(row)] }
    audit.append(approvalEvent('approval.expired', owner, row.question, details))
  }
}
