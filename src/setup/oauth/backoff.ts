/** Exponential backoff after a server could not be reached: one second, doubled each time, up to five minutes. */

const FIRST_MS = 1000
const LONGEST_MS = 300_000

export interface Pause {
  readonly reason: string
  /** Milliseconds since 1970. */
  readonly retryAt: number
}

export interface Backoff {
  /** The pause that is still running; undefined if a new attempt may be made. */
  pause(name: string): Pause | undefined
  /** Returns the time of the next attempt. */
  fail(name: string, reason: string): number
  clear(name: string): void
}

export function createBackoff(now: () => number): Backoff {
  const pauses = new Map<string, Pause & { readonly failures: number }>()
  return {
    pause(name) {
      const pause = pauses.get(name)
      if (!pause || pause.retryAt <= now()) return undefined
      return { reason: pause.reason, retryAt: pause.retryAt }
    },
    fail(name, reason) {
      const failures = (pauses.get(name)?.failures ?? 0) + 1
      const retryAt = now() + Math.min(LONGEST_MS, FIRST_MS * 2 ** (failures - 1))
      pauses.set(name, { reason, retryAt, failures })
      return retryAt
    },
    clear(name) {
      pauses.delete(name)
    },
  }
}
