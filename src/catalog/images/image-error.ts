/** A reason why an image cannot be installed, with its kind. The message is a clause in Cordon's own words. */
import type { InstallProblem } from '../install/install-errors.ts'
import { Unfit } from '../install/unfit.ts'

export class ImageError extends Unfit {
  readonly problem: InstallProblem

  constructor(problem: InstallProblem, message: string, options?: ErrorOptions) {
    super(message, options)
    this.problem = problem
  }
}

/** The registry names another host, which the sandbox may not reach yet. */
export class Elsewhere extends Error {
  readonly url: URL

  constructor(url: URL) {
    super('it is kept at another host')
    this.url = url
  }
}
