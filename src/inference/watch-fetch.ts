/**
 * A fetch for one request to a provider, which notes why its answer is none: a status, an end in the middle, too many
 * bytes. The SDK wraps such errors in ones of its own, which hold the prompt, so they are never looked into.
 */
import { callFailed, type FailedCall, failureOfStatus } from '../kernel/call-failure.ts'

type Fetch = typeof globalThis.fetch

export interface WatchedFetch {
  readonly fetch: Fetch
  /** Set once the answer cannot be used. */
  readonly fault: FailedCall | undefined
  /** The error of the guarded fetch, if there is no answer at all. */
  readonly thrown: Error | undefined
}

export const BROKE_OFF = 'The answer of the model broke off'
export const TOO_LARGE = 'The answer of the model is too large'

/** Of everything on the wire: a stream spends some hundred bytes on a word. */
const MOST_BYTES = 64 * 2 ** 20

/** The key is for one host, so no redirect is followed; the body of a failure is not read, since some repeat the key. */
export function watchFetch(fetch: Fetch): WatchedFetch {
  const noted: { fault?: FailedCall; thrown?: Error } = {}
  const fail = (fault: FailedCall): Error => {
    noted.fault = fault
    return new Error(fault.reason)
  }
  return {
    get fault() {
      return noted.fault
    },
    get thrown() {
      return noted.thrown
    },
    async fetch(input, init) {
      const sent = fetch(input, { ...init, redirect: 'error' })
      const response = await sent.catch((error: unknown) => {
        noted.thrown = error instanceof Error ? error : new Error('The request failed')
        throw noted.thrown
      })
      const { status, headers, body } = response
      if (!response.ok) {
        await body?.cancel()
        throw fail(failureOfAnswer(status, headers))
      }
      return new Response(body && bounded(body, fail), { status, headers })
    },
  }
}

function bounded(
  body: ReadableStream<Uint8Array>,
  fail: (fault: FailedCall) => Error,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  let size = 0
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await reader.read().catch(() => {
        throw fail(callFailed('call.lost', BROKE_OFF))
      })
      if (done) return controller.close()
      size += value.byteLength
      if (size <= MOST_BYTES) return controller.enqueue(value)
      void reader.cancel().catch(() => undefined)
      throw fail(callFailed('call.unreadable', TOO_LARGE))
    },
    cancel: (reason) => reader.cancel(reason),
  })
}

export function failureOfAnswer(status: number, headers?: Headers): FailedCall {
  const wait = /^\d{1,6}$/.exec(headers?.get('retry-after') ?? '')?.[0]
  return {
    ...callFailed(failureOfStatus(status), `The server answered with HTTP status ${status}`),
    ...(wait !== undefined && { retryAfterSeconds: Number(wait) }),
  }
}
