/** Ports for approvals: the stored questions, answers and grants, and the queue through which surfaces reach them. */
import type { ApprovalAnswer, ApprovalItem, ApprovalView } from './approval.ts'
import type { Grant } from './grant.ts'
import type { PlanBounds, PlanUse } from './plan-bounds.ts'
import type { Approvals } from './ports.ts'
import type { PrincipalId } from './principal.ts'
import type { ServerId } from './server-id.ts'
import type { StoredTree } from '../labels/stored-label.ts'

/** A call starts `pending`; `allowed` becomes `spent` when the call runs. No state ever goes back. */
export type CallState = 'pending' | 'allowed' | 'denied' | 'spent' | 'expired' | 'void'

/** One call of a question, as stored. */
export interface ApprovalRow {
  /** The id of the question that asks about this call; `position` is the call's place in that question. */
  readonly question: string
  readonly position: number
  readonly digest: string
  /** Equal for the same call in the same step of the same task, so a task that is resumed finds its answer. */
  readonly key: string
  readonly callId: string
  readonly taskId: string
  readonly state: CallState
  readonly askedAt: number
  /** `answerBy`: the last moment for an answer. `useBy`: the last moment at which an approval can be spent. */
  readonly answerBy: number
  readonly useBy: number
  /** The way by which the answer came: `terminal`, `page`, `chat`, `BY_A_PROGRAM` or `WITH_THE_COMMAND`. */
  readonly answeredHow?: string
  /** The whole call was shown to the owner. */
  readonly wasSeen: boolean
  /** The call as it is shown to the owner, as JSON. Never holds a secret. */
  readonly content: string
}

/** The value of `how` when the owner typed the consent together with the call, so that no question was shown. */
export const WITH_THE_COMMAND = 'with the command'

/** The value of `how` when a process without a terminal answered, and said so. */
export const BY_A_PROGRAM = 'program'

export interface RowAnswer {
  /** Digests of the calls that this answer decides; the other calls of the question stay pending. */
  readonly among: readonly string[]
  /** Digests of the calls that may run; the rest of `among` is denied. */
  readonly allow: readonly string[]
  readonly by: PrincipalId
  readonly how: string
  readonly at: number
  /** The last moment at which the approval can be spent; never later than `useBy` of the rows. */
  readonly useBy: number
}

/** Questions on disk. Every change names the state it starts from, so of two racing writers one wins. */
export interface ApprovalRows {
  /** Adds the calls of one question, all or none. */
  add(owner: PrincipalId, rows: readonly ApprovalRow[]): Promise<void>
  ofQuestion(owner: PrincipalId, question: string): Promise<readonly ApprovalRow[]>
  /** Newest first. */
  ofKey(owner: PrincipalId, key: string): Promise<readonly ApprovalRow[]>
  ofCall(owner: PrincipalId, callId: string): Promise<readonly ApprovalRow[]>
  /** At most `limit` calls, those of the newest questions first. */
  newest(owner: PrincipalId, limit: number): Promise<readonly ApprovalRow[]>
  /** Number of open questions, and of questions asked after `since`; consent given with the command is not counted. */
  load(
    owner: PrincipalId,
    now: number,
    since: number,
  ): Promise<{ readonly open: number; readonly asked: number }>
  /** The calls that were answered: none if the question was answered before, is void or has expired. */
  answer(owner: PrincipalId, question: string, answer: RowAnswer): Promise<readonly ApprovalRow[]>
  /** True for exactly one caller, who may run the call. On disk when this returns. */
  spend(owner: PrincipalId, digest: string, at: number): Promise<boolean>
  /** Closes calls that are still pending; returns the digests of the calls it closed. */
  close(
    owner: PrincipalId,
    digests: readonly string[],
    as: 'expired' | 'void',
  ): Promise<readonly string[]>
  /** Closes every pending call whose `answerBy` has passed. */
  closeExpired(owner: PrincipalId, now: number): Promise<readonly ApprovalRow[]>
  markSeen(owner: PrincipalId, question: string): Promise<void>
  /** Every call that is allowed, neither used nor too old. */
  allowed(owner: PrincipalId, now: number): Promise<readonly ApprovalRow[]>
  /** Counts a call of an approved plan, once, if its step has made fewer than `times`. On disk when this returns. */
  usePlan(owner: PrincipalId, use: PlanUse, at: number): Promise<boolean>
  /** The node of each call that used this approval, by call id. */
  planUses(owner: PrincipalId, approval: string): Promise<ReadonlyMap<string, string>>
  /** Deletes the calls that were asked before this time. */
  forget(owner: PrincipalId, before: number): Promise<void>
}

/** One argument of one server. An endorsed value is allowed there and nowhere else. */
export interface EndorsedPlace {
  readonly server: string
  readonly argument: string
}

export interface Endorsement extends EndorsedPlace {
  readonly taskId: string
  readonly valueHash: string
  readonly expiresAt: number
}

/** Grants and endorsements on disk. */
export interface GrantRows {
  add(grant: Grant): Promise<void>
  /** The grants in force: not revoked, not expired, with uses left. */
  holding(owner: PrincipalId, now: number): Promise<readonly Grant[]>
  /** Takes one use and returns how many are left; undefined if the grant is not in force. */
  use(owner: PrincipalId, id: string, now: number): Promise<number | undefined>
  /** False if there was no grant to revoke. */
  revoke(owner: PrincipalId, id: string, now: number): Promise<boolean>
  endorse(owner: PrincipalId, endorsements: readonly Endorsement[]): Promise<void>
  endorsements(owner: PrincipalId, now: number): Promise<readonly Endorsement[]>
}

/** The role of a piece of text, which a surface may show as a colour. The text is complete without the colour. */
export type Tone = 'plain' | 'strong' | 'quiet' | 'external' | 'warning'
export interface DrawnPiece {
  readonly text: string
  readonly tone: Tone
}
export type DrawnLine = readonly DrawnPiece[]

type ShownItem = Omit<ApprovalItem, 'labels'> & {
  readonly labels: Readonly<Record<string, StoredTree>>
}

/** A question as a surface gets it: the facts for programs, and the lines to put in front of a person. */
export interface ShownApproval extends Omit<ApprovalView, 'items'> {
  readonly items: readonly ShownItem[]
  /** The ways by which its answers came; empty while it is open. */
  readonly answeredHow: readonly string[]
  /** A caller in this process is waiting for the answer. */
  readonly isWaitedFor: boolean
  /** The question is too long for its short form: it cannot be allowed before the owner has seen the full one. */
  readonly needsFullView: boolean
  /** The action, its values and the reason of the question. */
  readonly lines: readonly DrawnLine[]
  /** Times, digests, what leaves, clearances, permissions that are offered: shown on request. */
  readonly more: readonly DrawnLine[]
}

/** The owner's side of the approval queue. */
export interface ApprovalQueue {
  /** Grows when a question is asked or answered in this process. */
  readonly version: number
  /** Resolves when `version` is above `after`, after 20 seconds, or when `signal` aborts. */
  changed(after: number, signal: AbortSignal): Promise<void>
  /** Newest first; `all` includes the questions that are closed. */
  list(all: boolean): Promise<readonly ShownApproval[]>
  /** `full` shows the whole question and records that the owner has seen it. */
  show(id: string, full: boolean): Promise<ShownApproval>
  answer(
    answer: ApprovalAnswer,
    how: string,
  ): Promise<{ readonly approval: ShownApproval; readonly grants: readonly Grant[] }>
  /** The open question about this call, as soon as there is one; undefined when `signal` aborts. */
  follow(callId: string, signal: AbortSignal): Promise<ShownApproval | undefined>
  /** Makes every open question about this server void, and revokes its grants. */
  withdraw(server: ServerId, by: PrincipalId): Promise<void>
  grants(): Promise<readonly Grant[]>
  /** The screen of a plan, without asking about it. */
  drawPlan(bounds: PlanBounds): readonly DrawnLine[]
  revokeGrant(id: string, by: PrincipalId): Promise<void>
  /** For consent typed together with the call: approves only calls whose every value the owner wrote. */
  consented(by: PrincipalId): Approvals
}
