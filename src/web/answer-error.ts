/** The one place where a thrown value becomes an answer. A stack or a cause goes to the log and nowhere else. */
import type { ErrorHandler } from 'hono'
import { CordonError, type ErrorBody } from '../kernel/error.ts'
import type { Log } from '../kernel/ports.ts'
import type { Alarm } from './alarm.ts'
import { type HttpStatus, httpStatus } from './refusal.ts'

interface ErrorAnswer {
  readonly status: HttpStatus
  readonly body: { readonly error: ErrorBody }
}

const BUG: ErrorAnswer = {
  status: 500,
  body: {
    error: {
      code: 'kernel.bug',
      message: 'Cannot answer, because of a bug in Cordon',
      hint: 'Look at the end of `logs/cordon.log` in the home that `cordon status` shows',
      exit: 1,
    },
  },
}

export function createErrorHandler(log: Log, alarm: Alarm): ErrorHandler {
  return (error, c) => {
    // A client that disconnected reads no answer, and its abort is not worth a log line.
    if (!c.req.raw.signal.aborted) report(log, error, c.req.path)
    const answer = answerTo(error)
    alarm(answer.body.error.code)
    return c.json(answer.body, answer.status)
  }
}

/** Logs the parts that must not be sent; `answerTo` makes the answer. */
export function report(log: Log, error: unknown, path: string): void {
  if (!(error instanceof CordonError)) log.error('Cannot answer a request', { path, error })
  else if (error.cause !== undefined) log.warn(error.message, { path, cause: error.cause })
}

export function answerTo(error: unknown): ErrorAnswer {
  if (!(error instanceof CordonError)) return BUG
  return { status: httpStatus(error), body: { error: error.toBody() } }
}
