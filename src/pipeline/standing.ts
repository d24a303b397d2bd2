/** Of one conversation: what the next message may answer or mean. In memory: after a restart nothing is asked any more. */
import type { ShownApproval } from '../kernel/approval-port.ts'
import type { Plan } from './plan-port.ts'
import type { Message } from '../kernel/receive.ts'
import type { Labelled } from '../labels/labelled.ts'
import type { Json, JsonObject } from '../text/json.ts'
import type { Progress } from './progress.ts'
import type { ServerQuestion } from './server-question.ts'
import type { TurnRecord } from './turn-record.ts'

/** A plan that runs, with all that is needed to run it again without one of its steps, or to plan what comes after it. */
export interface PlannedRun {
  readonly plan: Plan
  /** The owner's words that the plan was made of. */
  readonly words: string
  readonly pastes: readonly string[]
  readonly labelled: Readonly<Record<string, Labelled>>
  readonly message: Message
  /** Its planner may be asked again. */
  readonly canGoOn?: boolean | undefined
  /** The owner's words of this conversation, if a model made the plan. */
  readonly typed?: readonly string[] | undefined
  /** The plans for the same words that ran before this one. */
  readonly progress: Progress
}

/** The question that a run waits with: about one of its calls, or by the server of one. */
export type RunQuestion =
  | { readonly kind: 'approval'; readonly shown: ShownApproval }
  | { readonly kind: 'server'; readonly open: ServerQuestion; readonly place: string }

export type Asking = RunQuestion & {
  readonly record: TurnRecord
  readonly run: string
  /** Absent if a saved flow runs. */
  readonly planned?: PlannedRun
}

export interface Standing {
  /** The question of the planner, with the texts that were pasted with the request and the plans that ran for it. */
  draft?:
    | { readonly json: Json; readonly pastes: readonly string[]; readonly progress: Progress }
    | undefined
  /** The turn that waits for an answer. */
  asking?: Asking | undefined
  /** A model may have read words of others in this conversation. */
  isAfterOthers?: boolean
  /** The flow of the last plan that worked, and the turn that ran it. */
  worked?: { readonly flow: JsonObject; readonly turn: string } | undefined
  /** Why the last request that worked cannot be saved. */
  unsaved?: string | undefined
}

/** The answer of a turn. */
export interface Said {
  readonly answer: Labelled
  readonly isQuestion: boolean
  /** The request was not carried out. */
  readonly hasFailed?: boolean
  /** The plan of this turn is the last one that worked: `save this as NAME` saves its flow. */
  readonly canBeSaved?: true
}

export function done(answer: Labelled): Said {
  return { answer, isQuestion: false }
}

export function failed(answer: Labelled): Said {
  return { answer, isQuestion: false, hasFailed: true }
}
