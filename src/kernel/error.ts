/**
 * The one error class that people read. Any other thrown value is a bug and is shown as one. Secrets and untrusted text
 * go only into `cause`; no surface but the log ever reads a `cause`.
 */
import type { Problem } from '../text/problem.ts'

/** Exit codes: 1 our bug, 2 usage, 3 denied, 4 locked, 5 unavailable. */
export type ExitCode = 1 | 2 | 3 | 4 | 5

/** The exit code of a call that gave no result: it was denied, or something was not available. */
export function exitOfCall(kind: 'refused' | 'failed'): ExitCode {
  return kind === 'refused' ? 3 : 5
}

export interface ErrorSpec {
  readonly exit: ExitCode
  /** One imperative sentence, with the command to run. */
  readonly hint: string
  /** The end of the message, after a colon; also readable alone, for callers that have shown the first part already. */
  readonly why?: string
}

/** An error as it travels over the API: no cause, no stack. */
export interface ErrorBody extends Problem {
  readonly exit: ExitCode
}

export class CordonError extends Error {
  override readonly name = 'CordonError'
  readonly code: string
  readonly exit: ExitCode
  readonly hint: string
  readonly why: string | undefined

  /** `code` is `room.problem`; `message` reads "Cannot <action>", values through `JSON.stringify`, no full stop. */
  constructor(code: string, spec: ErrorSpec, message: string, cause?: unknown) {
    const whole = spec.why === undefined ? message : `${message}: ${spec.why}`
    super(whole, cause === undefined ? undefined : { cause })
    this.code = code
    this.exit = spec.exit
    this.hint = spec.hint
    this.why = spec.why
  }

  toBody(): ErrorBody {
    return { code: this.code, message: this.message, hint: this.hint, exit: this.exit }
  }

  static fromBody(body: ErrorBody): CordonError {
    return new CordonError(body.code, { exit: body.exit, hint: body.hint }, body.message)
  }
}
