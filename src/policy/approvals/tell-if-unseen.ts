/** The notice about a question that waits and that no surface has shown. It is withdrawn when the question is over. */
import type { ApprovalRow } from '../../kernel/approval-port.ts'
import type { ApprovalsDeps } from './approvals-deps.ts'
import type { KeptCall } from './kept-call.ts'
import type { Wakers } from './wakers.ts'

type Telling = Pick<ApprovalsDeps, 'notices' | 'now'>

/** A person at a terminal or a page is shown a question at once; this long after it, nobody is there. */
const UNSEEN_MS = 30_000

/** Cheap enough for every look at the row: a notice that is raised again is only counted. */
export function tellIfUnseen({ notices, now }: Telling, wakers: Wakers, row: ApprovalRow): void {
  if (row.state !== 'pending' || !isOld(row, now()) || wakers.isShown(row.question)) return
  wakers.markShown(row.question) // once is enough
  const { server, item } = subjectOf(row)
  notices?.raise('approval', server, [item])
}

/** Also for a notice that a process raised which has ended since. */
export function withdrawNotice({ notices, now }: Telling, row: ApprovalRow): void {
  const { server, item } = subjectOf(row)
  if (isOld(row, now())) notices?.resolve('approval', server, [item])
}

function isOld({ askedAt }: ApprovalRow, now: number): boolean {
  return now - askedAt >= UNSEEN_MS
}

function subjectOf({ question, content }: ApprovalRow): {
  readonly server: string
  readonly item: string
} {
  const { server, tool, plan } = JSON.parse(content) as KeptCall
  return { server, item: `${plan ? 'a whole plan' : tool} (${question})` }
}
