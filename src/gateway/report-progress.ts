/**
 * Keeps a client patient while a call goes on: tells it of progress where it takes that, and says when to stop waiting
 * where it does not.
 */
import type { ServerId } from '../kernel/server-id.ts'
import type { CallProgress, ProgressNumbers } from '../text/call-progress.ts'
import type { JsonObject } from '../text/json.ts'
import { raiseLabel, saidBy } from './client-session.ts'
import type { Exchange } from './handle-request.ts'
import { ProgressSteps } from './progress-steps.ts'
import { isObject, notificationMessage } from './rpc-message.ts'

/** How long a client waits, counted from here. Most calls ask nobody, so the signal is only made when it is needed. */
export class Patience implements Disposable {
  readonly #ms: number | undefined
  readonly #began = performance.now()
  #leaving: AbortController | undefined
  #timer: NodeJS.Timeout | undefined

  constructor(ms: number | undefined) {
    this.#ms = ms
  }

  /** Aborts when the client's own timeout is near. */
  get leave(): AbortSignal {
    this.#leaving ??= this.#start()
    return this.#leaving.signal
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
  }

  #start(): AbortController {
    const leaving = new AbortController()
    if (this.#ms === undefined) return leaving
    const left = this.#ms - (performance.now() - this.#began)
    this.#timer = setTimeout(() => leaving.abort(), left)
    this.#timer.unref()
    return leaving
  }
}

const PROGRESS_MS = 10_000

interface Reporting extends Disposable {
  readonly isTold: boolean
}

const SILENT: Reporting = { isTold: false, [Symbol.dispose]: () => undefined }

/** A call of a server, which may tell of its progress. */
interface Followed {
  readonly callId: string
  readonly server: ServerId
}

/**
 * Passes a server's words and numbers about its progress on, and tells every ten seconds that the call goes on: clients
 * that take progress start their timeout anew with it. The client's model may read both, so they raise the label.
 * Of a tool of the gateway itself, which is no call of a server, nothing but the time is told.
 */
export function reportProgress(
  progress: CallProgress,
  call: Followed | undefined,
  params: JsonObject,
  { notify, session }: Pick<Exchange, 'notify' | 'session'>,
): Reporting {
  const meta = params['_meta']
  const progressToken = isObject(meta) ? meta['progressToken'] : undefined
  if (!notify || progressToken === undefined) return SILENT
  const began = performance.now()
  const steps = new ProgressSteps()
  const tell = (message: string, numbers?: ProgressNumbers): void => {
    const words = message === '' ? {} : { message }
    const params = { progressToken, ...steps.next(numbers), ...words }
    notify(notificationMessage('notifications/progress', params))
  }
  const seconds = (): number => Math.round((performance.now() - began) / 1000)
  const timer = setInterval(() => tell(`still at work after ${seconds()} s`), PROGRESS_MS)
  timer.unref()
  if (call) {
    progress.begin(call.callId, (...said) => {
      raiseLabel(session, saidBy(call.server))
      tell(...said)
    })
  }
  return {
    isTold: true,
    [Symbol.dispose]() {
      clearInterval(timer)
      if (call) progress.end(call.callId)
    },
  }
}
