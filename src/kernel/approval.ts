/**
 * A question to the owner about calls that are about to run, and its answer. The owner approves exactly what runs: each
 * call is bound by a digest over its tool, its arguments, their labels and the pins they were judged under.
 */
import type { Effect } from './effect.ts'
import type { Json } from '../text/json.ts'
import type { LabelTree } from '../labels/label-tree.ts'
import type { PlanBounds } from './plan-bounds.ts'
import type { PrincipalId } from './principal.ts'
import type { CallRequest, GrantOffer, Verdict } from './tool-call.ts'
import type { ToolFacts } from './tool-facts.ts'
import type { ToolId } from './tool-id.ts'

/** A judged call, frozen with the facts and the verdict of that moment. */
export interface Asked {
  readonly request: CallRequest
  readonly facts: ToolFacts
  readonly verdict: Extract<Verdict, { readonly kind: 'ask' }>
  /** The very bytes that will run, opened to be shown to the owner. */
  readonly args: Readonly<Record<string, Json>>
}

export type Answer =
  /** The approval is spent already: it holds for this call and no other. */
  | { readonly kind: 'approved'; readonly approval: string; readonly by: PrincipalId }
  | { readonly kind: 'refused'; readonly rule: `approval.${string}`; readonly reason: string }

/** State of a whole question: `pending` while any call of it is, then `answered` if any call was answered. */
export type ApprovalState = 'pending' | 'answered' | 'expired' | 'void'

/** A question as shown. The host writes every part of it except the argument values, which are marked as such. */
export interface ApprovalView {
  readonly id: string
  readonly taskId: string
  readonly state: ApprovalState
  readonly createdAt: string
  readonly expiresAt: string
  readonly items: readonly ApprovalItem[]
}

export interface ApprovalItem {
  /** An answer names a call by the beginning of this digest. */
  readonly digest: string
  readonly callId: string
  readonly tool: ToolId
  readonly serverName: string
  readonly effect: Effect
  readonly rule: string
  readonly reason: string
  readonly offers: readonly GrantOffer[]
  /** The grant `tool` that is offered holds for ids of the server, whoever chooses among them. */
  readonly takesIds?: boolean
  /** The tool claims to be a read, and neither catalog nor owner confirmed it. */
  readonly claims?: 'read'
  readonly args: Readonly<Record<string, Json>>
  readonly labels: Readonly<Record<string, LabelTree>>
  /** The question is about a whole plan, and not about one call. */
  readonly plan?: PlanBounds
  /** Absent until the call is answered. */
  readonly isAllowed?: boolean
}

export interface ApprovalAnswer {
  readonly id: string
  /**
   * The beginning of the digest of each call to allow, all of one server. The other calls of that server are denied,
   * and those of other servers stay pending; an empty list denies every call.
   */
  readonly allow: readonly string[]
  /** Limits the answer to the calls of this server. */
  readonly server?: string
  /** A grant to create, so that later calls need no question. */
  readonly grant?: GrantOffer
  readonly by: PrincipalId
}
