/** A reason why a package cannot be installed, with its kind. The message is a clause in Cordon's own words. */
import { Unfit } from '../install/unfit.ts'
import type { JobProblem } from './python-job.ts'

export class JobError extends Unfit {
  readonly problem: JobProblem

  constructor(problem: JobProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}
