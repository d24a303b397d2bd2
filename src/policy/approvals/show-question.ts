/** Turns the rows of a question into the view for a surface. Everything shown is redacted again. */
import type { ApprovalState } from '../../kernel/approval.ts'
import type { ApprovalRow, ShownApproval } from '../../kernel/approval-port.ts'
import type { PlanBounds } from '../../kernel/plan-bounds.ts'
import type { Json } from '../../text/json.ts'
import { type StoredTree, storeTree } from '../../labels/stored-label.ts'
import { type DrawableItem, type DrawableView, drawApproval, isLong } from './draw-approval.ts'
import { drawDetails } from './draw-details.ts'
import { type KeptCall, type Redact, redactJson, showCall } from './kept-call.ts'
import { isOver } from './wait-for-answer.ts'

interface ShowOptions {
  readonly full: boolean
  readonly redact: Redact
  readonly now: number
  readonly isWaitedFor: boolean
}

export function readCall({ content }: ApprovalRow): KeptCall {
  return JSON.parse(content) as KeptCall
}

/** All rows of one question, in their order. */
export function showQuestion(
  rows: readonly [ApprovalRow, ...ApprovalRow[]],
  { full, redact, now, isWaitedFor }: ShowOptions,
): ShownApproval {
  const [{ question, taskId, askedAt, answerBy }] = rows
  const view: DrawableView = {
    id: question,
    taskId,
    state: stateOf(rows, now),
    createdAt: new Date(askedAt).toISOString(),
    expiresAt: new Date(answerBy).toISOString(),
    items: rows.map((row) => toItem(row, redact)),
  }
  return {
    ...view,
    items: view.items.map(withoutDrawing),
    answeredHow: [...new Set(rows.flatMap(({ answeredHow }) => answeredHow ?? []))],
    isWaitedFor,
    needsFullView: rows.some((row) => needsFullView(row, redact)),
    lines: drawApproval(view, full),
    more: drawDetails(view),
  }
}

/** The item without the fields that only drawing needs, as JSON. */
function withoutDrawing(item: DrawableItem): ShownApproval['items'][number] {
  const { digest, callId, tool, serverName, effect, rule, reason, offers, args, isAllowed } = item
  const stored = Object.entries(item.labels).map(([name, tree]) => [name, storeTree(tree)] as const)
  const labels: Readonly<Record<string, StoredTree>> = Object.fromEntries(stored)
  const { takesIds, claims, plan } = item
  const shown = { digest, callId, tool, serverName, effect, rule, reason, offers, args, labels }
  const facts = {
    ...shown,
    ...(takesIds && { takesIds }),
    ...(claims && { claims }),
    ...(plan && { plan }),
  }
  return isAllowed === undefined ? facts : { ...facts, isAllowed }
}

export function needsFullView(row: ApprovalRow, redact: Redact): boolean {
  return !row.wasSeen && isLong(toItem(row, redact))
}

export function stateOf(rows: readonly ApprovalRow[], now: number): ApprovalState {
  const states = new Set(rows.map((row) => row.state))
  if (states.has('pending')) return rows.every((row) => isOver(row, now)) ? 'expired' : 'pending'
  if (states.has('allowed') || states.has('denied') || states.has('spent')) return 'answered'
  return states.has('expired') ? 'expired' : 'void'
}

function toItem(row: ApprovalRow, redact: Redact): DrawableItem {
  const { server, tool, plan, ...call } = readCall(row)
  const bounds = plan && (redactJson(plan.bounds as unknown as Json, redact) as unknown)
  const isAnswered = row.state === 'allowed' || row.state === 'spent' || row.state === 'denied'
  return {
    ...call,
    digest: row.digest,
    callId: row.callId,
    tool: { server, name: tool },
    ...showCall({ ...call, server, tool }, redact),
    ...(plan && { plan: bounds as PlanBounds }),
    ...(isAnswered && { isAllowed: row.state !== 'denied' }),
  }
}
