/**
 * A question to the owner about calls that are about to run, and its answer. What is shown is what runs: each call is
 * bound by a digest over its tool, its arguments, their labels and the pins they were judged under.
 */
import type { Effect } from './effect.ts'
import type { Json } from '../text/json.ts'
import type { LabelTree } from '../labels/label-tree.ts'
import type { PrincipalId } from './principal.ts'
import type { CallRequest, GrantOffer, Verdict } from './tool-call.ts'
import type { ToolFacts } from './tool-facts.ts'
import type { ToolId } from './tool-id.ts'

/** A call that was judged, and frozen as it was then. */
export interface Asked {
  readonly request: CallRequest
  readonly facts: ToolFacts
  readonly verdict: Extract<Verdict, { readonly kind: 'ask' }>
  /** The very bytes that will run, opened for the owner's eyes. */
  readonly args: Readonly<Record<string, Json>>
}

export type Answer =
  /** Spent already: it holds for this call and for no other. */
  | { readonly kind: 'approved'; readonly approval: string; readonly by: PrincipalId }
  | { readonly kind: 'refused'; readonly rule: `approval.${string}`; readonly reason: string }

/** Until when it can be answered, and what became of it. */
export type ApprovalState = 'pending' | 'answered' | 'expired' | 'void'

/** A question as it can be shown; host-drawn, nothing in it is a server's text but the values, which are marked. */
export interface ApprovalView {
  readonly id: string
  readonly taskId: string
  readonly state: ApprovalState
  readonly createdAt: string
  readonly expiresAt: string
  readonly items: readonly ApprovalItem[]
}

export interface ApprovalItem {
  /** An answer echoes its beginning. */
  readonly digest: string
  readonly callId: string
  readonly tool: ToolId
  readonly serverName: string
  readonly effect: Effect
  readonly rule: string
  readonly reason: string
  readonly offers: readonly GrantOffer[]
  readonly args: Readonly<Record<string, Json>>
  readonly labels: Readonly<Record<string, LabelTree>>
  /** Once answered. */
  readonly isAllowed?: boolean
}

export interface ApprovalAnswer {
  readonly id: string
  /**
   * The beginning of the digest of each call that may run, all of one server. Its other calls are refused, and those of
   * other servers wait for an answer of their own; where nothing is named, everything is refused.
   */
  readonly allow: readonly string[]
  /** It is only about the calls of this one. */
  readonly server?: string
  /** Beyond this once. */
  readonly grant?: GrantOffer
  readonly by: PrincipalId
}
