/** What is written down of each step, and how it is read again: enough to go on without it, and to tell a person. */
import type { Effect } from '../../kernel/effect.ts'
import type { FlowProblem, FlowQuestion, FlowValue } from '../../kernel/flow-port.ts'
import type { Json } from '../../text/json.ts'
import type { OwnedRun, StoredStep } from '../runs/flow-runtime.ts'

/** Which time of which node, and which item of its list. */
export interface StepPlace {
  readonly node: string
  readonly round: number
  readonly item?: number
}

/** When it began. */
export interface StepNote extends StepPlace {
  /** `call`: it left, or was about to. `pure`, `skipped`: it needed no call, and is over. */
  readonly kind: 'call' | 'pure' | 'skipped' | 'cached' | 'refused'
  readonly at: string
  readonly tool?: string
  readonly effect?: Effect
  readonly args: readonly FlowValue[]
  /** Of what needed no call. */
  readonly outputs?: readonly FlowValue[]
  readonly ms?: number
}

/** How it ended. */
export type StepResult =
  | {
      readonly kind: 'value'
      /** As it is kept, with its labels. */
      readonly value: Json
      readonly outputs: readonly FlowValue[]
    }
  | { readonly kind: 'action'; readonly action: string; readonly message: string }

/** How a try of it failed. */
export interface FailedTry {
  readonly action: string
  readonly message: string
  /** The run ends with this; absent where it was or will be tried again. */
  readonly problem?: FlowProblem
  /** In milliseconds since 1970: not before then. */
  readonly retryAt?: number
  /** Nobody counts it: its process died, and it does no harm to do it again. */
  readonly isInterrupted?: true
}

export interface QuestionNote {
  readonly question: FlowQuestion
  /** The step it is about. */
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

/** What is known of one step from before. */
export interface Past {
  /** Every try of it, the oldest first. */
  readonly tries: readonly StoredStep[]
  readonly questions: readonly StoredStep[]
  /** How many tries there were before its owner had the run taken up again. */
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

/** Whether it is on record that it ended, and not with a value. */
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

export function noteOf({ note }: StoredStep): StepNote {
  return note as unknown as StepNote
}

export function asJson(
  value: StepNote | StepResult | FailedTry | QuestionNote | FlowProblem,
): Json {
  return value as unknown as Json
}
