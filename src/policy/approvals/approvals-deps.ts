/** The dependencies of the approval queue, and its time and size limits. */
import type { ApprovalRows, GrantRows } from '../../kernel/approval-port.ts'
import type { Noticing } from '../../ports/notice-port.ts'
import type { Audit, Redactor } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'

export interface ApprovalsDeps {
  /** The person who is asked; only they may answer. */
  readonly owner: PrincipalId
  readonly rows: ApprovalRows
  readonly grants: GrantRows
  readonly audit: Pick<Audit, 'append' | 'appendDurable' | 'damage'>
  readonly redactor: Pick<Redactor, 'redact'>
  /** Makes an address a contact of the owner. Absent: there is no contact book. */
  readonly befriend?: (address: string) => Promise<unknown>
  /** Tells the owner of a question that no surface has shown. */
  readonly notices?: Noticing
  readonly now: () => number
  /** Milliseconds of a monotonic clock, which no change of the system time affects. */
  readonly monotonic: () => number
  /** The interval at which a waiting call checks whether another process received the answer. */
  readonly pollMs?: number
}

/** No answer within this time counts as a no. */
export const ANSWER_MS = 300_000
/** An allowed call must run within this time: a plan is approved before its first step, and a task may resume. */
export const USE_MS = 300_000
/**
 * Both limits for a call whose caller may leave and come back: the client of another program gives up long before a
 * person has answered, and its model takes a while to ask again.
 */
export const LATE_MS: number = 15 * 60_000
/** The calls of an allowed plan must be made within this time; later ones are asked about as if there were no plan. */
export const PLAN_MS = 3_600_000
/** A system clock further than this behind the time of the question was set back. */
export const CLOCK_SLACK_MS = 30_000
/** Answers are kept this long, so that a no stays a no. */
export const KEEP_MS: number = 7 * 24 * 3_600_000

export const MOST_OPEN = 20
export const MOST_ASKED = 60
export const ASKED_WINDOW_MS: number = 10 * 60_000
/** A person does not read more than this before they say yes. */
export const LARGEST_QUESTION: number = 256 * 1024
/** The same limit for the drawn text, which repeats the path of each value; untrusted data chooses the member names. */
export const LARGEST_DRAWING: number = 4 * LARGEST_QUESTION
