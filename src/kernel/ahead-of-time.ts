/** Work that is begun before somebody asks for it. It serves one, and for so long; otherwise it is undone, as if it had never been. */

export interface AheadOfTime<T> extends AsyncDisposable {
  /** What was begun for the same and is still there is left as it is. */
  begin(key: string, work: () => Promise<T>, freshMs: number): void
  /** Undefined where nothing was begun in time. Whoever takes it owns what comes of it. */
  take(key: string): Promise<T> | undefined
}

interface Begun<T> {
  readonly outcome: Promise<T>
  readonly timer: NodeJS.Timeout
}

export function createAheadOfTime<T>(undo: (outcome: T) => Promise<void>): AheadOfTime<T> {
  const begun = new Map<string, Begun<T>>()
  const take = (key: string): Promise<T> | undefined => {
    const found = begun.get(key)
    begun.delete(key)
    clearTimeout(found?.timer)
    return found?.outcome
  }
  /** What failed has nothing to be undone. */
  const drop = async (key: string): Promise<void> => {
    await take(key)?.then(undo, () => undefined)
  }
  return {
    begin(key, work, freshMs) {
      if (begun.has(key)) return
      const outcome = work()
      outcome.catch(() => undefined) // told to whoever takes it
      begun.set(key, { outcome, timer: setTimeout(() => void drop(key), freshMs).unref() })
    },
    take,
    async [Symbol.asyncDispose]() {
      await Promise.all([...begun.keys()].map(drop))
    },
  }
}
