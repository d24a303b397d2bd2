/** The ways a step ends without a value: the run fails, the run has to wait, or a node ends before all of its items. */
import type { FlowProblem } from '../../ports/flow-port.ts'
import type { CordonError } from '../../kernel/error.ts'
import type { StepEnd } from './call-step.ts'

/** Ends the run as failed; with `error_handling: continue`, fails only the item of a `forEach`. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
  readonly problem: FlowProblem

  constructor(problem: FlowProblem) {
    super(problem.message)
    this.problem = problem
  }

  /** Wraps an error that was thrown while a step was prepared. */
  static of(error: CordonError, node: string): StepFailed {
    const { code, message, hint } = error
    return new StepFailed({ code, message, hint, node })
  }
}

/** Parks the run, and loses nothing: the run resumes at `until`, or when its question is answered. */
export class RunParked extends Error {
  override readonly name = 'RunParked'
  readonly until: Date | undefined

  constructor(until?: Date) {
    super('The run waits')
    this.until = until
  }
}

/** Gives the run back untouched: the kernel lacks a need of the run, and a different kernel may meet it. */
export class RunUnserved extends Error {
  override readonly name = 'RunUnserved'
  readonly need: string
  readonly lacks: string

  constructor(need: string, lacks: string) {
    super('This kernel cannot work on the run')
    this.need = need
    this.lacks = lacks
  }
}

/** An item ended with an action that the flow has an edge for, so the whole node ends with that action. */
export class ItemEnded extends Error {
  override readonly name = 'ItemEnded'
  readonly end: StepEnd

  constructor(end: StepEnd) {
    super('An item ended the node')
    this.end = end
  }
}
