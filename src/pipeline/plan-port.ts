/**
 * The port of planning: from a sentence of the owner to the steps of a plan. A planner sees the owner's words, tool cards
 * and handles; it never sees the content behind a handle, and never calls a tool.
 */
import type { Json } from '../text/json.ts'
import type { Turn } from '../ports/memory-port.ts'
import type { ModelUsage } from '../ports/model-port.ts'
import type { ToolId } from '../kernel/tool-id.ts'

export interface PlanRequest {
  /** The owner's words. Pasted and quoted blocks are replaced by their handles: `remember $paste1`. */
  readonly words: string
  /** The oldest first: `it` means the last one. */
  readonly handles: readonly Handle[]
  /** For dates in the words: milliseconds, and the IANA name of the owner's time zone. */
  readonly now: number
  readonly timezone: string
  /** Takes the usage of each answer of a model that was asked for the plan. */
  readonly onUsage?: (usage: ModelUsage) => void
  /** The earlier turns of the same conversation, read when they are first asked for. */
  readonly earlier?: () => Promise<readonly Turn[]>
  /** The plans for these words that ran already. Absent: they are planned for the first time. */
  readonly rounds?: readonly PlanRound[]
  /** No further plan for these words is run. */
  readonly isLastRound?: true
}

/** A plan that ran, without any content: what became of each of its steps. */
export interface PlanRound {
  readonly steps: readonly RoundStep[]
}

export interface RoundStep extends PlannedStep {
  readonly outcome: 'worked' | 'failed' | 'not run'
  /** Of a failure: a code of the host, never a server's words. */
  readonly code?: string
  /** The handle of its result, if that is kept. */
  readonly result?: string
}

/** A value that a plan may pass on: a pasted text, or the result of an earlier turn. */
export interface Handle {
  /** `paste1`, `result3`: a letter, then letters and digits. */
  readonly name: string
  readonly type: 'text' | 'number' | 'list' | 'object'
  /** The items of a list. */
  readonly count?: number
  /** The tool that it is the result of. */
  readonly from?: ToolId
}

export type PlannedValue =
  | { readonly kind: 'literal'; readonly value: Json }
  | { readonly kind: 'handle'; readonly name: string; readonly path?: ValuePath }
  /** The result of an earlier step, by its position. */
  | { readonly kind: 'step'; readonly step: number; readonly path?: ValuePath }
  /** Values of which at least one is a handle or a result; the others are literal. */
  | { readonly kind: 'list'; readonly items: readonly PlannedValue[] }
  | { readonly kind: 'object'; readonly members: Readonly<Record<string, PlannedValue>> }

/** Names and indexes that lead to a part of a value: `items`, 0, `id`. Absent: the whole value. */
export type ValuePath = readonly [string | number, ...(string | number)[]]

export interface PlannedStep {
  readonly tool: ToolId
  readonly args: Readonly<Record<string, PlannedValue>>
}

/** Empty steps: nothing needs to be done, and the answer is made of the words alone. */
export interface Plan {
  readonly steps: readonly PlannedStep[]
  /** The planner has to know which results there are before it can plan the rest. */
  readonly needsMore?: true
}

/** A sentence that the owner taught, and the saved flow that it stands for. */
export interface TaughtSentence {
  readonly sentence: string
  readonly flow: string
}

export type Planned =
  /** `canGoOn`: its planner may be asked again with what became of it (`PlanRequest.rounds`). */
  | { readonly kind: 'plan'; readonly plan: Plan; readonly canGoOn?: true }
  /** A sentence that the owner taught: the saved flow of this name. */
  | { readonly kind: 'flow'; readonly name: string }
  /**
   * Something is missing, or two tools are equally likely. `draft` is what `Planner.answer` needs to go on; `near`: the
   * tools that it is about, the likeliest first.
   */
  | {
      readonly kind: 'question'
      readonly text: string
      readonly choices: readonly string[]
      readonly near: readonly ToolId[]
      readonly draft: Json
    }
  /** No plan fits. `near`: tools that could be meant, the likeliest first. */
  | { readonly kind: 'unable'; readonly reason: string; readonly near: readonly ToolId[] }

export interface Planner {
  plan(request: PlanRequest, signal: AbortSignal): Promise<Planned>
  /** Takes the words as the answer to a question; undefined if they are none. */
  answer(draft: Json, request: PlanRequest, signal: AbortSignal): Promise<Planned | undefined>
}
