/**
 * A plan as a contract: the calls of a flow that its owner allows with one answer, each with its limits. A call inside
 * the bounds needs no further question; any other is judged as if there were no plan. Data only, so that it is hashed,
 * stored and shown as it is.
 */
import type { Effect } from './effect.ts'
import type { Json } from '../text/json.ts'
import type { Integrity, Level } from '../labels/label.ts'
import type { PrincipalId } from './principal.ts'
import type { ToolId } from './tool-id.ts'

/** The values that one argument may have. */
export type ArgumentBound =
  /** Exactly this value, which the owner sees. */
  | { readonly kind: 'fixed'; readonly value: Json }
  /** Any text: content steers no call, and untrusted links in the text are disarmed. */
  | { readonly kind: 'content' }
  /** Any value that is trusted when the call is made: the owner's words, or an id that a step took from a server. */
  | { readonly kind: 'trusted' }
  /** Ids out of this server's own list, whoever chose them: so many at most in each call. */
  | { readonly kind: 'member'; readonly of: string; readonly values: number }
  /** A number from zero to `max`, whoever chose it. */
  | { readonly kind: 'amount'; readonly max: number }
  /** Chosen by untrusted text and not seen by the owner: so many values at most in each call. */
  | { readonly kind: 'varies'; readonly values: number }

export interface BoundedArgument {
  readonly name: string
  readonly role: string
  readonly bound: ArgumentBound
  /** The label that was foreseen. A value that is more confidential, or has another origin, is outside. */
  readonly integrity: Integrity
  readonly level: Level
  readonly origins: readonly string[]
  /** The sources, for people: `${search.result}`, `the flow`. */
  readonly from: readonly string[]
}

export interface BoundedStep {
  readonly node: string
  readonly tool: ToolId
  readonly serverName: string
  readonly effect: Effect
  /** Pins of the tool and of its server: a change of either leaves the bounds. */
  readonly hash: string
  readonly serverPin: string
  /** The most calls that the step may make in the run. */
  readonly times: number
  /** The step runs on every path through the flow. */
  readonly isCertain: boolean
  /** The integrity of the choice that the step runs. */
  readonly control: Integrity
  /** The rule that would ask about the step, and its reason. */
  readonly rule: string
  readonly reason: string
  readonly args: readonly BoundedArgument[]
}

/** A question that the plan cannot take the place of: it is asked when the step has its turn. */
export interface OpenStep {
  readonly node: string
  readonly tool: ToolId
  readonly why: string
}

export interface PlanBounds {
  /** The title of the flow, for people: untrusted text. */
  readonly flow: string
  readonly planHash: string
  readonly principal: PrincipalId
  /** The integrity of the flow's author. */
  readonly plan: Integrity
  readonly steps: readonly BoundedStep[]
  readonly open: readonly OpenStep[]
}

/** A plan as its run brings it to the owner. */
export interface AskedPlan {
  /** The run: the answer holds for it and no other. */
  readonly taskId: string
  readonly callId: string
  readonly bounds: PlanBounds
  /** The run has begun: its answer is looked up, and nothing is asked. */
  readonly isUnderWay: boolean
}

/** One call that relies on an approved plan. */
export interface PlanUse {
  /** The digest of the approval. */
  readonly approval: string
  readonly node: string
  readonly callId: string
  readonly times: number
}

/** A plan that its owner allowed, and the calls that relied on it so far. */
export interface ApprovedPlan {
  readonly approval: string
  readonly taskId: string
  readonly bounds: PlanBounds
  /** The node of each call, by call id. */
  readonly used: ReadonlyMap<string, string>
}
