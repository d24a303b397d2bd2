/**
 * Where answers of browsers meet the sign-ins that wait for them. An answer belongs to the one that made its `state`, came
 * back to the address that was given out, and is taken once. Nothing of an address is ever logged: it holds the code.
 */

export interface CallbackDesk {
  /** Resolves with the parameters of the one answer; rejects when `signal` aborts. */
  expect(state: string, redirectUri: string, signal: AbortSignal): Promise<URLSearchParams>
  /** False where nobody waits for it. */
  deliver(url: URL): boolean
}

interface Waiting {
  readonly redirectUri: string
  readonly take: (answer: URLSearchParams) => void
}

export function createCallbackDesk(): CallbackDesk {
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
