/** A tool call, its verdict and its result: the values that pass the one door. */
import type { FailedCall } from './call-failure.ts'
import type { Disarmed, GuardedArgument, Guards } from '../text/disarmed.ts'
import type { Json } from '../text/json.ts'
import type { TokenUsage } from '../text/token-usage.ts'
import type { Integrity, Label, Level } from '../labels/label.ts'
import type { LabelTree } from '../labels/label-tree.ts'
import type { Labelled } from '../labels/labelled.ts'
import type { PlanUse } from './plan-bounds.ts'
import type { Principal } from './principal.ts'
import type { ToolId } from './tool-id.ts'

/** A call as the caller brings it to the door. */
export interface CallRequest {
  readonly callId: string
  readonly principal: Principal
  readonly tool: ToolId
  readonly args: Readonly<Record<string, Labelled>>
  readonly task: Task
  /** W3C `traceparent` for the server; absent: it is told none. */
  readonly trace?: string
}

/** The task that a call is part of. A single call is a task of one step. */
export interface Task {
  readonly id: string
  readonly step: string
  /** The node of the flow that this step executes, by which an approved plan knows it. */
  readonly node?: string
  /** The integrity of the plan: joined over everything that its author had read. */
  readonly plan: Integrity
  readonly planHash?: string
  readonly control: Control
  /** The pin of the tool when the plan was made, if the plan is older than the call. */
  readonly expects?: string
  /** The text that the owner wrote for this task: a link that occurs in it counts as the owner's own. */
  readonly words?: string
  /** The number of calls the task made before this one. */
  readonly callsBefore: number
  /** The limits of a task that was not started by the owner. Absent: started by the owner. */
  readonly template?: Template
  /** The plan was made after untrusted results: the owner is asked about every change, whatever grants they gave. */
  readonly asksForWrites?: true
  /** The step holds a value that the owner did not type: it is asked about also if it only reads. */
  readonly asksForRead?: true
}

/** The data that decided whether this step runs, and how often. Plain JSON, since the plan of a run holds it. */
export interface Control {
  readonly integrity: Integrity
  /** The bits that untrusted data decided in the task so far, those in the arguments of this call included. */
  readonly bits: number
  /** Absent: the plan alone decided. */
  readonly level?: Level
  readonly origins?: readonly string[]
  /** How often the step runs, if untrusted data decided that: `times` in a run, `mostTimes` before one. */
  readonly times?: number
  readonly mostTimes?: number
}

/** The limits of a task that the owner did not start in person. `denied` wins over `allowed`. */
export interface Template {
  readonly name: string
  /** `notion.search`, `notion.*`, `*`. */
  readonly allowed: readonly string[]
  readonly denied: readonly string[]
  readonly maxCalls: number
  /** No data above this level is read or sent. */
  readonly ceiling: Level
  readonly sinks: readonly string[]
  readonly asksForWrites: boolean
}

/** The call as it runs, with its arguments opened for exactly one server. */
export interface ToolCall {
  readonly callId: string
  readonly principal: Principal
  readonly tool: ToolId
  readonly args: Readonly<Record<string, Json>>
  /** Of a built-in tool: the join of its arguments' labels, since it may keep what it is given. */
  readonly label?: Label
  /** Changes to the arguments since the caller brought them. */
  readonly disarmed?: readonly Disarmed[]
  readonly trace?: string
}

/** The reason of a verdict, written by the host, and the arguments it is about. */
export interface Because {
  /** Stable, for tests and the audit record: `target.external`. */
  readonly rule: string
  readonly reason: string
  readonly args?: readonly string[]
}
export type Verdict =
  | {
      readonly kind: 'allow'
      readonly rule: string
      /** Ids of the grants that the verdict relies on; each loses one use. */
      readonly grants?: readonly string[]
      readonly guard?: readonly GuardedArgument[]
      /** The approved plan that the verdict relies on; its step loses one call. */
      readonly plan?: Omit<PlanUse, 'callId'>
    }
  | (Because & Guards & { readonly kind: 'ask'; readonly offers: readonly GrantOffer[] })
  | (Because & { readonly kind: 'deny'; readonly isAlarm?: boolean })

/** The kinds of permission that the owner may give beyond this call. */
export type GrantOffer =
  /** This value counts as the owner's own in this argument of this server, for the rest of the task. */
  | 'endorse'
  /** Data of this origin may be sent to this tool. */
  | 'flow'
  /** This tool, as long as its targets are trusted. */
  | 'tool'
  /** Any amount up to a maximum, as long as the other targets are trusted. */
  | 'spend'
  /** These addresses are the owner's, or of people they know: they become contacts. */
  | 'contact'

export type ToolResult =
  | {
      readonly kind: 'ok'
      readonly value: Json
      readonly label: Label
      readonly labels?: LabelTree
      /** Content blocks beside a structured answer, which do not repeat it. */
      readonly beside?: Json
      /** Data for programs, which no model reads. */
      readonly meta?: Json
      /** Of the models that the tool asked. */
      readonly usage?: TokenUsage
    }
  | { readonly kind: 'refused'; readonly reason: string; readonly rule?: string }
  | FailedCall

/** The result as the caller gets it, labelled. */
export type CallResult =
  | {
      readonly kind: 'ok'
      readonly value: Labelled
      readonly beside?: Labelled
      readonly meta?: Labelled
      readonly disarmed?: readonly Disarmed[]
      readonly usage?: TokenUsage
    }
  | Exclude<ToolResult, { readonly kind: 'ok' }>
