/**
 * Processes the owner's answer to an approval: which of its calls may run, and which grants are given. An answer counts
 * once, before its deadline, from the owner, and names the calls it allows; any other is an error, is recorded, and
 * changes nothing.
 */
import type { ApprovalAnswer } from '../../kernel/approval.ts'
import type { ApprovalRow } from '../../kernel/approval-port.ts'
import type { Grant } from '../../kernel/grant.ts'
import type { ApprovalsDeps } from './approvals-deps.ts'
import type { GrantIndex } from './grant-index.ts'
import type { Redact } from './kept-call.ts'
import { cannotAnswer, type Problem } from './question-errors.ts'
import { approvalEvent, itemDetails } from './record-event.ts'
import { isPlanRow, planIn } from './put-plan.ts'
import { needsFullView, readCall } from './show-question.ts'
import { endCalls, isOver } from './wait-for-answer.ts'

export async function answerQuestion(
  deps: ApprovalsDeps,
  index: Pick<GrantIndex, 'give'>,
  answer: ApprovalAnswer,
  how: string,
): Promise<readonly Grant[]> {
  const { owner, rows, audit, now } = deps
  const { id, by, grant } = answer
  const asked = by === owner ? await rows.ofQuestion(owner, id) : []
  const chosen = await choose(deps, answer, asked)
  if (typeof chosen === 'string') throw refuse(deps, answer, chosen)
  const [allow, among] = [digestsOf(chosen), digestsOf(decidedBy(answer, chosen, asked))]
  const at = now()
  // As long as the question was put for: longer for a plan, and for a caller that may have left. An answered call tells
  // another time, since its `useBy` was set by its answer.
  const open = asked.filter(({ state }) => state === 'pending')
  const useMs = Math.min(...open.map(({ answerBy, useBy }) => useBy - answerBy))
  const answered = await rows.answer(owner, id, { among, allow, by, how, at, useBy: at + useMs })
  if (answered.length === 0) {
    throw refuse(deps, answer, problemOf(await rows.ofQuestion(owner, id)) ?? 'expired')
  }
  const allowed = answered.filter(({ state }) => state === 'allowed')
  const refused = answered.filter(({ state }) => state !== 'allowed')
  const details = {
    allowed: allowed.map((row) => itemDetails(row)),
    refused: refused.map((row) => itemDetails(row)),
    how,
  }
  await audit.appendDurable(approvalEvent('approval.answered', by, id, details))
  const grants: Grant[] = []
  for (const row of grant ? allowed : []) {
    if (grant) grants.push(...(await index.give(row, readCall(row), grant)))
  }
  return grants
}

/** The calls that the answer allows, or the problem with the answer. */
async function choose(
  deps: ApprovalsDeps,
  answer: ApprovalAnswer,
  asked: readonly ApprovalRow[],
): Promise<readonly ApprovalRow[] | Problem> {
  if (answer.by !== deps.owner) return 'not-owner'
  const problem = problemOf(asked)
  if (problem) return problem
  if (asked.some((row) => isOver(row, deps.now()))) {
    await endCalls(deps, asked, 'expired')
    return 'expired'
  }
  const chosen = answer.allow.flatMap((prefix) => findByPrefix(asked, prefix) ?? [])
  if (new Set(chosen).size < answer.allow.length) return 'prefix'
  if (decidedBy(answer, chosen, asked).length === 0) return 'no-server'
  return unfit(chosen, answer, (text) => deps.redactor.redact(text)) ?? chosen
}

/** A yes is about one server, and decides all calls of that server in the question. A no decides every call. */
function decidedBy(
  answer: ApprovalAnswer,
  [first]: readonly ApprovalRow[],
  asked: readonly ApprovalRow[],
): readonly ApprovalRow[] {
  const server = answer.server ?? (first && readCall(first).server)
  return server === undefined ? asked : asked.filter((row) => readCall(row).server === server)
}

function digestsOf(rows: readonly ApprovalRow[]): readonly string[] {
  return rows.map(({ digest }) => digest)
}

function unfit(
  chosen: readonly ApprovalRow[],
  { grant, server }: ApprovalAnswer,
  redact: Redact,
): Problem | undefined {
  const servers = new Set<string>(chosen.map((row) => readCall(row).server))
  if (server !== undefined) servers.add(server)
  if (servers.size > 1) return 'several-servers'
  const over = chosen.filter(({ state }) => state !== 'pending')
  if (over.length > 0) return problemOf(over)
  if (chosen.some((row) => isPlanRow(row) && !planIn(row))) return 'void'
  if (chosen.some((row) => needsFullView(row, redact))) return 'not-seen'
  if (grant === undefined) return undefined
  const isOffered = chosen.every((row) => readCall(row).offers.includes(grant))
  return chosen.length > 0 && isOffered ? undefined : 'no-offer'
}

const PREFIX = /^[0-9a-f]{8,64}$/

function findByPrefix(asked: readonly ApprovalRow[], prefix: string): ApprovalRow | undefined {
  if (!PREFIX.test(prefix)) return undefined
  const found = asked.filter(({ digest }) => digest.startsWith(prefix))
  return found.length === 1 ? found[0] : undefined
}

/** The reason why the question can no longer be answered. */
function problemOf(rows: readonly ApprovalRow[]): Problem | undefined {
  if (rows.length === 0) return 'unknown'
  const states = new Set(rows.map(({ state }) => state))
  if (states.has('pending')) return undefined
  if (states.has('allowed') || states.has('denied') || states.has('spent')) return 'answered'
  return states.has('expired') ? 'expired' : 'void'
}

function refuse({ owner, audit }: ApprovalsDeps, { id, by }: ApprovalAnswer, why: Problem): Error {
  if (why !== 'unknown') audit.append(approvalEvent('approval.refused', owner, id, { why, by }))
  return cannotAnswer(why, id)
}
