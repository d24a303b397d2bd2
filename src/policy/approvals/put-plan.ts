/**
 * A plan as a question: bound by a digest over run, flow, pins, principal and bounds, stored with everything that the
 * digest is made of. A stored plan whose bytes do not give its digest is no plan: it can neither be allowed nor used.
 */
import { randomBytes } from 'node:crypto'
import type { ApprovalRow } from '../../kernel/approval-port.ts'
import { PLAN } from '../../kernel/built-in-tools.ts'
import { EFFECTS } from '../../kernel/effect.ts'
import { later } from '../../labels/label.ts'
import type { AskedPlan, PlanBounds } from '../../kernel/plan-bounds.ts'
import type { Json } from '../../text/json.ts'
import {
  ANSWER_MS,
  type ApprovalsDeps,
  ASKED_WINDOW_MS,
  LARGEST_QUESTION,
  MOST_ASKED,
  MOST_OPEN,
  PLAN_MS,
} from './approvals-deps.ts'
import { type Once, sha256 } from './digest.ts'
import type { KeptCall } from './kept-call.ts'
import { approvalEvent, itemDetails } from './record-event.ts'
import { readCall } from './show-question.ts'

type Bound = Pick<AskedPlan, 'taskId' | 'bounds'>

/**
 * The same for the same plan of the same run, however often it is asked. Undefined for a value without canonical JSON:
 * such a plan cannot be bound, so it cannot be approved.
 */
export function keyOfPlan({ taskId, bounds }: Bound): string | undefined {
  try {
    return sha256({ v: 1, kind: 'plan', taskId, bounds: bounds as unknown as Json })
  } catch {
    return undefined
  }
}

function digestOfPlan({ taskId, bounds }: Bound, { nonce, exp }: Once): string {
  return sha256({ v: 1, kind: 'plan', taskId, bounds: bounds as unknown as Json, nonce, exp })
}

/** Undefined if it cannot be asked: too long to be read, too many questions, or a value that may not be shown. */
export async function putPlan(
  deps: ApprovalsDeps,
  asked: AskedPlan,
  key: string,
): Promise<ApprovalRow | undefined> {
  const { owner, rows, audit, redactor, now } = deps
  const askedAt = now()
  const load = await rows.load(owner, askedAt, askedAt - ASKED_WINDOW_MS)
  if (load.open >= MOST_OPEN || load.asked >= MOST_ASKED) return undefined
  const useBy = askedAt + ANSWER_MS + PLAN_MS
  const once: Once = { nonce: randomBytes(16).toString('hex'), exp: useBy }
  const kept = keepPlan(asked.bounds, once)
  const content = JSON.stringify(kept)
  // Redacted bounds would be other bounds, so a plan that holds a secret is asked about call by call.
  if (content.length > LARGEST_QUESTION || redactor.redact(content) !== content) return undefined
  const row: ApprovalRow = {
    question: randomBytes(5).toString('hex'),
    position: 0,
    digest: digestOfPlan(asked, once),
    key,
    callId: asked.callId,
    taskId: asked.taskId,
    state: 'pending',
    askedAt,
    answerBy: askedAt + ANSWER_MS,
    useBy,
    wasSeen: false,
    content,
  }
  await rows.add(owner, [row])
  // The audit log names the plan by its hash: the title of a flow is untrusted text.
  const items = [itemDetails(row, { ...kept, tool: kept.hash })]
  audit.append(approvalEvent('approval.asked', owner, row.question, { items }))
  return row
}

export function isPlanRow(row: ApprovalRow): boolean {
  return readCall(row).plan !== undefined
}

/** The bounds that the row's digest stands for; undefined if the row is no plan, or was changed. */
export function planIn(row: ApprovalRow): PlanBounds | undefined {
  const { plan } = readCall(row)
  if (!plan) return undefined
  const { taskId } = row
  const isIntact = digestOfPlan({ taskId, bounds: plan.bounds }, plan) === row.digest
  return isIntact ? plan.bounds : undefined
}

function keepPlan(bounds: PlanBounds, { nonce, exp }: Once): KeptCall {
  return {
    server: PLAN,
    tool: bounds.flow,
    serverName: PLAN,
    effect: bounds.steps.map(({ effect }) => effect).reduce((a, b) => later(EFFECTS, a, b)),
    clearance: { own: 'public', others: 'public' },
    hash: bounds.planHash,
    serverPin: '',
    rule: 'plan',
    reason: 'Several of its steps would ask you',
    offers: [],
    args: {},
    labels: {},
    roles: {},
    about: [],
    isRepeat: false,
    plan: { bounds, nonce, exp },
  }
}
