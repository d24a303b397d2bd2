/** Creates questions: binds each call to its digest, and limits their number and size to what a person can answer. */
import { randomBytes } from 'node:crypto'
import type { Answer, Asked } from '../../kernel/approval.ts'
import type { ApprovalRow } from '../../kernel/approval-port.ts'
import type { Labelled } from '../../labels/labelled.ts'
import {
  ANSWER_MS,
  type ApprovalsDeps,
  ASKED_WINDOW_MS,
  LARGEST_DRAWING,
  LARGEST_QUESTION,
  LATE_MS,
  MOST_ASKED,
  MOST_OPEN,
  USE_MS,
} from './approvals-deps.ts'
import { type BoundCall, bindCall, digestOf, keyOf } from './digest.ts'
import { freezeJson } from './freeze-json.ts'
import { keepCall } from './kept-call.ts'
import { approvalEvent, itemDetails } from './record-event.ts'
import { leavesOf } from './value-leaves.ts'

export type Refused = Extract<Answer, { readonly kind: 'refused' }>

export interface FrozenCall {
  readonly asked: Asked
  readonly bound: BoundCall
  readonly key: string
}

/** Freezes the arguments, so that no code can change what would run. Refuses a call without canonical JSON. */
export function freezeCall(asked: Asked): FrozenCall | Refused {
  try {
    freezeJson(asked.args)
    const bound = bindCall(asked)
    return { asked, bound, key: keyOf(bound) }
  } catch {
    return UNREADABLE
  }
}

interface Asking {
  /** False for consent that came with the command. */
  readonly isCounted?: boolean
  /** The caller may leave before the answer and come back for it. */
  readonly mayLeave?: boolean
}

/** Asks about several calls in one question. Callers take turns, so that two questions are not counted as one. */
export async function putQuestion(
  deps: ApprovalsDeps,
  calls: readonly (FrozenCall & { readonly isRepeat: boolean })[],
  { isCounted = true, mayLeave = false }: Asking = {},
): Promise<readonly ApprovalRow[] | Refused> {
  const { owner, rows, audit, now } = deps
  const askedAt = now()
  const load = await rows.load(owner, askedAt, askedAt - ASKED_WINDOW_MS)
  if (isCounted && (load.open >= MOST_OPEN || load.asked >= MOST_ASKED)) return TOO_MANY
  const question = randomBytes(5).toString('hex')
  const redact = (text: string): string => deps.redactor.redact(text)
  const kept = calls.map(({ asked, isRepeat }) => keepCall(asked, isRepeat, redact))
  const put = calls.map(({ asked, bound, key }, position): ApprovalRow => {
    const answerBy = askedAt + (mayLeave ? LATE_MS : ANSWER_MS)
    const useBy = answerBy + (mayLeave ? LATE_MS : USE_MS)
    return {
      question,
      position,
      digest: digestOf(bound, { nonce: randomBytes(16).toString('hex'), exp: useBy }),
      key,
      callId: asked.request.callId,
      taskId: asked.request.task.id,
      state: 'pending',
      askedAt,
      answerBy,
      useBy,
      wasSeen: false,
      content: JSON.stringify(kept[position]),
    }
  })
  const size = put.reduce((sum, { content }) => sum + content.length, 0)
  if (size > LARGEST_QUESTION || drawnSize(calls) > LARGEST_DRAWING) return TOO_LARGE
  await rows.add(owner, put)
  const items = put.map((row, at) => itemDetails(row, kept[at]))
  audit.append(approvalEvent('approval.asked', owner, question, { items }))
  return put
}

function drawnSize(calls: readonly FrozenCall[]): number {
  const leaves = calls.flatMap(({ asked: { request, args } }) =>
    Object.entries(args).flatMap(([name, value]) =>
      leavesOf(name, value, (request.args[name] as Labelled).tree),
    ),
  )
  return leaves.reduce((sum, { path, text }) => sum + path.length + text.length, 0)
}

const UNREADABLE: Refused = {
  kind: 'refused',
  rule: 'approval.unreadable',
  reason: 'The arguments have no one spelling, so nobody can be asked about them',
}

const TOO_LARGE: Refused = {
  kind: 'refused',
  rule: 'approval.too-large',
  reason: 'The arguments are too long for a person to read before allowing them',
}

const TOO_MANY: Refused = {
  kind: 'refused',
  rule: 'approval.too-many',
  reason: 'Too many questions are open or were asked just now; this one was not put',
}
