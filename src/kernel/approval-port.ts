/** Where questions to the owner, their answers and standing permissions are kept, and how surfaces get at them. */
import type { ApprovalAnswer, ApprovalItem, ApprovalView } from './approval.ts'
import type { Grant } from './grant.ts'
import type { Approvals } from './ports.ts'
import type { PrincipalId } from './principal.ts'
import type { ServerId } from './server-id.ts'
import type { StoredTree } from '../labels/stored-label.ts'

/** A call waits, then may run or not; what may run is spent by running. Nothing ever goes back. */
export type CallState = 'pending' | 'allowed' | 'denied' | 'spent' | 'expired' | 'void'

/** One call of a question, as it is kept. */
export interface ApprovalRow {
  /** Which question it is part of, and where in it. */
  readonly question: string
  readonly position: number
  readonly digest: string
  /** The same for the same call in the same step: by it a task that comes back finds its answer. */
  readonly key: string
  readonly callId: string
  readonly taskId: string
  readonly state: CallState
  readonly askedAt: number
  /** Until when it can be answered, and until when an answer can be used at the latest. */
  readonly answerBy: number
  readonly useBy: number
  /** The owner had all of it on the screen. */
  readonly wasSeen: boolean
  /** What is shown, as JSON. Never a secret. */
  readonly content: string
}

/** How the owner says yes together with a call he types; no question is put to him then. */
export const WITH_THE_COMMAND = 'with the command'

export interface RowAnswer {
  /** Digests of the calls it is about; others of the question wait on. */
  readonly among: readonly string[]
  /** Those of them that may run; the others are refused. */
  readonly allow: readonly string[]
  readonly by: PrincipalId
  readonly how: string
  readonly at: number
  /** Until when what is allowed can be used; never later than the rows say. */
  readonly useBy: number
}

/** Questions on disk. Every change is one statement that names the state it starts from: of two who try, one does it. */
export interface ApprovalRows {
  /** The calls of one question, all or none. */
  add(owner: PrincipalId, rows: readonly ApprovalRow[]): Promise<void>
  ofQuestion(owner: PrincipalId, question: string): Promise<readonly ApprovalRow[]>
  /** The newest first. */
  ofKey(owner: PrincipalId, key: string): Promise<readonly ApprovalRow[]>
  ofCall(owner: PrincipalId, callId: string): Promise<readonly ApprovalRow[]>
  /** Of the newest questions; at most so many rows. */
  newest(owner: PrincipalId, limit: number): Promise<readonly ApprovalRow[]>
  /** How many questions are open, and how many were put since then; what came with its answer was not. */
  load(
    owner: PrincipalId,
    now: number,
    since: number,
  ): Promise<{ readonly open: number; readonly asked: number }>
  /** Those it answered: none where the question was answered before, is void or too old. */
  answer(owner: PrincipalId, question: string, answer: RowAnswer): Promise<readonly ApprovalRow[]>
  /** Whether the caller is the one who may run it. On disk when this returns. */
  spend(owner: PrincipalId, digest: string, at: number): Promise<boolean>
  /** Ends calls that still wait; returns the digests of those that did. */
  close(
    owner: PrincipalId,
    digests: readonly string[],
    as: 'expired' | 'void',
  ): Promise<readonly string[]>
  /** Ends every call that waited too long. */
  closeExpired(owner: PrincipalId, now: number): Promise<readonly ApprovalRow[]>
  markSeen(owner: PrincipalId, question: string): Promise<void>
  /** Removes what was asked before then. */
  forget(owner: PrincipalId, before: number): Promise<void>
}

export interface Endorsement {
  readonly taskId: string
  readonly valueHash: string
  readonly expiresAt: number
}

/** Standing permissions on disk. */
export interface GrantRows {
  add(grant: Grant): Promise<void>
  /** Those that hold: not taken back, not expired, with uses left. */
  holding(owner: PrincipalId, now: number): Promise<readonly Grant[]>
  /** How many uses are left after this one; undefined where there was none. */
  use(owner: PrincipalId, id: string, now: number): Promise<number | undefined>
  /** Whether it was there to be taken back. */
  revoke(owner: PrincipalId, id: string, now: number): Promise<boolean>
  endorse(owner: PrincipalId, endorsements: readonly Endorsement[]): Promise<void>
  endorsements(owner: PrincipalId, now: number): Promise<readonly Endorsement[]>
}

/** What a piece of a line is, so that a surface can give it a colour. The text alone says it as well. */
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
  /** Somebody waits for the answer, in this process. */
  readonly isWaitedFor: boolean
  /** It cannot be allowed before all of it was shown, and it was not yet. */
  readonly needsFullView: boolean
  readonly lines: readonly DrawnLine[]
}

/** The owner's side of the queue. */
export interface ApprovalQueue {
  /** The newest first; `all`: also those that are over. */
  list(all: boolean): Promise<readonly ShownApproval[]>
  /** `full`: all of it, and that it was shown is remembered. */
  show(id: string, full: boolean): Promise<ShownApproval>
  answer(
    answer: ApprovalAnswer,
    how: string,
  ): Promise<{ readonly approval: ShownApproval; readonly grants: readonly Grant[] }>
  /** The open question about this call, as soon as there is one; undefined when `signal` aborts. */
  follow(callId: string, signal: AbortSignal): Promise<ShownApproval | undefined>
  /** Of this server: what is asked about it is void, and what was allowed beyond one call is taken back. */
  withdraw(server: ServerId, by: PrincipalId): Promise<void>
  grants(): Promise<readonly Grant[]>
  revokeGrant(id: string, by: PrincipalId): Promise<void>
  /** For whoever said yes together with the call: approves calls of nothing but the owner's own words. */
  consented(by: PrincipalId): Approvals
}
