/**
 * Matches browser callbacks to waiting sign-ins. A callback must carry the `state` of a waiting sign-in, arrive at the
 * redirect URI given out for it, and is accepted once. A callback URL is never logged: it holds the authorization code.
 */

export interface PendingCallbacks {
  /** Resolves with the parameters of the single callback; rejects when `signal` aborts. */
  expect(state: string, redirectUri: string, signal: AbortSignal): Promise<URLSearchParams>
  /** False if no sign-in waits for this callback. */
  deliver(url: URL): boolean
}

interface Waiting {
  readonly redirectUri: string
  readonly take: (answer: URLSearchParams) => void
}

export function createPendingCallbacks(): PendingCallbacks {
  const waiting = new Map<string, Waiting>()
  return {
    async expect(state, redirectUri, signal) {
      signal.throwIfAborted()
      const { promise, resolve, reject } = Promise.withResolvers<URLSearchParams>()
      const abort = (): void => reject(signal.reason as Error)
      signal.addEventListener('abort', abort, { once: true })
      waiting.set(state, { redirectUri, take: resolve })
      try {
        return await promise
      } finally {
        waiting.delete(state)
        signal.removeEventListener('abort', abort)
      }
    },
    deliver(url) {
      const states = url.searchParams.getAll('state')
      const state = states.length === 1 ? (states[0] ?? '') : ''
      const found = waiting.get(state)
      if (!found || placeOf(url) !== placeOf(new URL(found.redirectUri))) return false
      waiting.delete(state)
      found.take(url.searchParams)
      return true
    },
  }
}

function placeOf({ protocol, host, pathname }: URL): string {
  return `${protocol}//${host}${pathname}`
}
