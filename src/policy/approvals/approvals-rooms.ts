/** What the queue of questions is handed, and how long things last in it. */
import type { ApprovalRows, GrantRows } from '../../kernel/approval-port.ts'
import type { Audit, Redactor } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'

export interface ApprovalsRooms {
  /** Who is asked, and the only one who may answer. */
  readonly owner: PrincipalId
  readonly rows: ApprovalRows
  readonly grants: GrantRows
  readonly audit: Pick<Audit, 'append' | 'appendDurable' | 'damage'>
  readonly redactor: Pick<Redactor, 'redact'>
  readonly now: () => number
  /** Milliseconds that only ever go forward, whatever is done to the clock. */
  readonly monotonic: () => number
  /** How often a waiting call looks whether another process was given the answer. */
  readonly pollMs?: number
}

/** No answer in this time is a no. */
export const ANSWER_MS = 300_000
/** So long an answer holds: a plan is asked about before its first step runs, and a task may have to come back. */
export const USE_MS = 300_000
/** A clock that is this much behind the time of a question was set back. */
export const CLOCK_SLACK_MS = 30_000
/** Answers are kept this long, so that a no stays a no. */
export const KEEP_MS: number = 7 * 24 * 3_600_000

export const MOST_OPEN = 20
export const MOST_ASKED = 60
export const ASKED_WINDOW_MS: number = 10 * 60_000
/** More than this nobody reads before he says yes. */
export const LARGEST_QUESTION: number = 256 * 1024
/** The same as it is drawn: each value with the way to it, and that is as long as others made the names. */
export const LARGEST_DRAWING: number = 4 * LARGEST_QUESTION
