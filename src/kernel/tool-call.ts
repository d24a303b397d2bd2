/** A tool call, what may become of it, and what comes back: the values that pass the one door. */
import type { FailedCall } from './call-failure.ts'
import type { Json } from '../text/json.ts'
import type { Integrity, Label, Level } from '../labels/label.ts'
import type { LabelTree } from '../labels/label-tree.ts'
import type { Labelled } from '../labels/labelled.ts'
import type { Principal } from './principal.ts'
import type { ToolId } from './tool-id.ts'

/** What a caller brings to the door. */
export interface CallRequest {
  readonly callId: string
  readonly principal: Principal
  readonly tool: ToolId
  readonly args: Readonly<Record<string, Labelled>>
  readonly task: Task
}

/** What a call is part of. A call on its own is a task of one step. */
export interface Task {
  readonly id: string
  readonly step: string
  /** Of whoever wrote the plan, the texts he saw included. */
  readonly plan: Integrity
  readonly planHash?: string
  /** Of what decided that this step runs at all; `bits` counts the untrusted choices of the task so far. */
  readonly control: { readonly integrity: Integrity; readonly bits: number }
  /** The definition the plan was made for, where that was some time ago. */
  readonly expects?: string
  /** What the owner wrote: words of his that occur in a text make them his. */
  readonly words?: string
  /** How many calls of the task were made before this one. */
  readonly callsBefore: number
  /** Limits of whoever started the task. Absent: the owner himself. */
  readonly template?: Template
}

/** What a task that was not started by the owner himself may do. Denied wins over allowed. */
export interface Template {
  readonly name: string
  /** `notion.search`, `notion.*`, `*`. */
  readonly allowed: readonly string[]
  readonly denied: readonly string[]
  readonly maxCalls: number
  /** Nothing above this level is read or sent. */
  readonly ceiling: Level
  readonly sinks: readonly string[]
  readonly asksForWrites: boolean
}

/** The call as it runs: opened for exactly one server. */
export interface ToolCall {
  readonly callId: string
  readonly principal: Principal
  readonly tool: ToolId
  readonly args: Readonly<Record<string, Json>>
}

/** Why, in the host's words; and which arguments it is about. */
export interface Because {
  /** Stable, for tests and the record: `target.external`. */
  readonly rule: string
  readonly reason: string
  readonly args?: readonly string[]
}
export type Verdict =
  | {
      readonly kind: 'allow'
      readonly rule: string
      /** Standing permissions it leans on; each loses one use. */
      readonly grants?: readonly string[]
      /** Arguments in which links are to be made harmless: words of others. */
      readonly guard?: readonly string[]
    }
  | (Because & { readonly kind: 'ask'; readonly offers: readonly GrantOffer[] })
  | (Because & { readonly kind: 'deny'; readonly isAlarm?: boolean })

/** What may be allowed beyond this once. */
export type GrantOffer =
  /** This value, for the rest of the task. */
  | 'endorse'
  /** What came from there may go to this tool. */
  | 'flow'
  /** This tool, as long as its targets are trusted. */
  | 'tool'
  /** Up to an amount, to whom the owner named. */
  | 'spend'

export type ToolResult =
  | {
      readonly kind: 'ok'
      readonly value: Json
      readonly label: Label
      readonly labels?: LabelTree
    }
  | { readonly kind: 'refused'; readonly reason: string; readonly rule?: string }
  | FailedCall

/** What a caller gets back. */
export type CallResult =
  | { readonly kind: 'ok'; readonly value: Labelled }
  | Exclude<ToolResult, { readonly kind: 'ok' }>
