/** Lets those who wait for something look again when it may have happened. A wake-up says nothing; who wakes looks. */
export interface Wakers {
  /** Resolves when `subject` is woken, after so many milliseconds, or when `signal` aborts. Never rejects. */
  wait(subject: string, ms: number, signal: AbortSignal): Promise<void>
  wake(subject: string): void
  /** Says that somebody waits, with pauses to look, until it is disposed. */
  attend(subject: string): Disposable
  isAttended(subject: string): boolean
}

export function createWakers(): Wakers {
  const waiting = new Map<string, Set<() => void>>()
  const attended: string[] = []
  return {
    async wait(subject, ms, signal) {
      if (signal.aborted) return
      const { promise, resolve } = Promise.withResolvers<void>()
      const all = waiting.get(subject) ?? new Set()
      waiting.set(subject, all.add(resolve))
      const timer = setTimeout(resolve, ms)
      const give = (): void => resolve()
      signal.addEventListener('abort', give, { once: true })
      await promise
      clearTimeout(timer)
      signal.removeEventListener('abort', give)
      all.delete(resolve)
      if (all.size === 0) waiting.delete(subject)
    },
    wake(subject) {
      for (const resolve of waiting.get(subject) ?? []) resolve()
    },
    attend(subject) {
      attended.push(subject)
      return { [Symbol.dispose]: () => void attended.splice(attended.indexOf(subject), 1) }
    },
    isAttended: (subject) => attended.includes(subject),
  }
}
