/**
 * Keeps a client patient while a call goes on: tells it of progress where it takes that, and says when to stop waiting
 * where it does not.
 */
import type { CallProgress } from '../text/call-progress.ts'
import type { JsonObject } from '../text/json.ts'
import type { Exchange } from './handle-request.ts'
import { isObject, notificationMessage } from './rpc-message.ts'

export function createPatience(
  ms: number | undefined,
): Disposable & { readonly leave: AbortSignal } {
  const leaving = new AbortController()
  const timer = ms === undefined ? undefined : setTimeout(() => leaving.abort(), ms)
  timer?.unref()
  return { leave: leaving.signal, [Symbol.dispose]: () => clearTimeout(timer) }
}

const PROGRESS_MS = 10_000

interface Reporting extends Disposable {
  readonly isTold: boolean
}

const SILENT: Reporting = { isTold: false, [Symbol.dispose]: () => undefined }

/**
 * Passes a server's words about its progress on, and tells every ten seconds that the call goes on: clients that take
 * progress start their timeout anew with it.
 */
export function reportProgress(
  progress: CallProgress,
  callId: string,
  params: JsonObject,
  { notify }: Exchange,
): Reporting {
  const meta = params['_meta']
  const progressToken = isObject(meta) ? meta['progressToken'] : undefined
  if (!notify || progressToken === undefined) return SILENT
  const began = performance.now()
  let told = 0
  const tell = (message: string): void => {
    told += 1
    notify(
      notificationMessage('notifications/progress', { progressToken, progress: told, message }),
    )
  }
  const seconds = (): number => Math.round((performance.now() - began) / 1000)
  const timer = setInterval(() => tell(`still at work after ${seconds()} s`), PROGRESS_MS)
  timer.unref()
  progress.begin(callId, tell)
  return {
    isTold: true,
    [Symbol.dispose]() {
      clearInterval(timer)
      progress.end(callId)
    },
  }
}
