/**
 * The records of each step, and how they are read back: enough to resume the run without repeating the step, and to
 * show the step to a person.
 */
import type { Effect } from '../../kernel/effect.ts'
import type { FlowProblem, FlowQuestion, FlowValue } from '../../ports/flow-port.ts'
import type { Json } from '../../text/json.ts'
import type { TokenUsage } from '../../text/token-usage.ts'
import type { OwnedRun, StoredStep } from '../runs/flow-runtime.ts'

/** A node, its round in a loop, and the item of its `forEach` list. */
export interface StepPlace {
  readonly node: string
  readonly round: number
  readonly item?: number
}

/** Recorded when a step begins. */
export interface StepNote extends StepPlace {
  /** `call`: the call left, or was about to. `refused`: it never left. `pure`, `skipped`: no call was needed. */
  readonly kind: 'call' | 'pure' | 'skipped' | 'cached' | 'refused'
  readonly at: string
  readonly tool?: string
  readonly effect?: Effect
  readonly args: readonly FlowValue[]
  /** Only for a step that needed no call. */
  readonly outputs?: readonly FlowValue[]
  readonly ms?: number
}

/** Recorded when a step ends. */
export type StepResult =
  | {
      readonly kind: 'value'
      /** In stored form, with its labels. */
      readonly value: Json
      readonly outputs: readonly FlowValue[]
      /** A sentence about links that were disarmed in the arguments. */
      readonly disarmed?: string
      readonly usage?: TokenUsage
    }
  | {
      readonly kind: 'action'
      readonly action: string
      readonly message: string
      readonly said?: string
      readonly usage?: TokenUsage
    }

/** Recorded when a try of a step fails. */
export interface FailedTry {
  readonly action: string
  readonly message: string
  /** The server's own text in full, where the message has only a part of it. */
  readonly said?: string
  /** Ends the run; absent if the step was or will be tried again. */
  readonly problem?: FlowProblem
  /** The earliest time of the retry, in milliseconds since 1970. */
  readonly retryAt?: number
  /** The process died and the step may be repeated, so this try does not count as a retry. */
  readonly isInterrupted?: true
  readonly usage?: TokenUsage
}

export interface QuestionNote {
  readonly question: FlowQuestion
  /** The name of the step that the question is about. */
  readonly step: string
}

export interface Answered {
  readonly choice: string
  readonly value?: Json
}

export function nameOf({ node, round, item }: StepPlace): string {
  const again = round > 1 ? `@${round}` : ''
  return item === undefined ? `${node}${again}` : `${node}${again}[${item}]`
}

/** Earlier records of one step. */
export interface Past {
  /** All tries, the oldest first. */
  readonly tries: readonly StoredStep[]
  readonly questions: readonly StoredStep[]
  /** The number of failed tries before the owner reopened the run. */
  readonly triesBefore: number
}

export class Journal {
  readonly #steps: ReadonlyMap<string, readonly StoredStep[]>
  readonly #questions: ReadonlyMap<string, readonly StoredStep[]>
  readonly #reopened: readonly string[]

  constructor({ steps, reopened }: Pick<OwnedRun, 'steps' | 'reopened'>) {
    this.#reopened = reopened
    this.#steps = Map.groupBy(
      steps.filter(({ kind }) => kind === 'step'),
      ({ name }) => name,
    )
    this.#questions = Map.groupBy(
      steps.filter(({ kind }) => kind === 'question'),
      ({ note }) => (note as unknown as QuestionNote).step,
    )
  }

  past(place: StepPlace): Past {
    const name = nameOf(place)
    return {
      tries: this.#steps.get(name) ?? [],
      questions: this.#questions.get(name) ?? [],
      triesBefore: this.#reopened.filter((one) => one === name).length,
    }
  }
}

/** Whether an end without a value is on record. */
export function isOver({ tries }: Past): boolean {
  return tries.some((one) =>
    one.state === 'done'
      ? resultOf(one).kind === 'action'
      : one.state === 'failed' && failureIn(one).problem !== undefined,
  )
}

export function resultOf({ result }: StoredStep): StepResult {
  return result as unknown as StepResult
}

export function failureIn({ result }: StoredStep): FailedTry {
  return result as unknown as FailedTry
}

/** Of the models that this try asked. */
export function usageIn({ result }: Pick<StoredStep, 'result'>): readonly TokenUsage[] {
  const { usage } = (result ?? {}) as unknown as { readonly usage?: TokenUsage }
  return usage ? [usage] : []
}

export function noteOf({ note }: StoredStep): StepNote {
  return note as unknown as StepNote
}

export function asJson(
  value: StepNote | StepResult | FailedTry | QuestionNote | FlowProblem,
): Json {
  return value as unknown as Json
}
