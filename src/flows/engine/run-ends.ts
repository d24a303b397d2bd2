/** How a step ends otherwise than with a value: the run fails, it has to wait, or a node ends before all of its items. */
import type { FlowProblem } from '../../kernel/flow-port.ts'
import type { CordonError } from '../../kernel/error.ts'
import type { StepEnd } from './call-step.ts'

/** Ends the run, unless something in the flow is there for it. */
export class StepFailed extends Error {
  override readonly name = 'StepFailed'
  readonly problem: FlowProblem

  constructor(problem: FlowProblem) {
    super(problem.message)
    this.problem = problem
  }

  /** Of an error that was thrown while a step was prepared. */
  static of(error: CordonError, node: string): StepFailed {
    const { code, message, hint } = error
    return new StepFailed({ code, message, hint, node })
  }
}

/** Nothing is lost: it is taken up again then, or when it is answered. */
export class RunParked extends Error {
  override readonly name = 'RunParked'
  readonly until: Date | undefined

  constructor(until?: Date) {
    super('The run waits')
    this.until = until
  }
}

/** One item ended with an action that the flow has an edge for, and so the node does. */
export class ItemEnded extends Error {
  override readonly name = 'ItemEnded'
  readonly end: StepEnd

  constructor(end: StepEnd) {
    super('An item ended the node')
    this.end = end
  }
}
