/** A condition variable: callers wait for the next change, then look again. A change carries no data. */
export class Changes {
  #count = 1
  readonly #waiting = new Set<() => void>()

  /** Grows by one with every change. */
  get count(): number {
    return this.#count
  }

  get isAwaited(): boolean {
    return this.#waiting.size > 0
  }

  announce(): void {
    this.#count += 1
    for (const wake of this.#waiting) wake()
  }

  /** Resolves at the next change, when `signal` aborts, or after `maxMs`. Never rejects. */
  async next(signal?: AbortSignal, maxMs?: number): Promise<void> {
    if (signal?.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const wake = (): void => resolve()
    this.#waiting.add(wake)
    signal?.addEventListener('abort', wake, { once: true })
    // The timer keeps the event loop alive, so the process does not exit while a caller waits.
    const timer = maxMs === undefined ? undefined : setTimeout(wake, maxMs)
    await promise
    clearTimeout(timer)
    signal?.removeEventListener('abort', wake)
    this.#waiting.delete(wake)
  }

  /** Resolves when `isReached` holds after a change, or when `signal` aborts. */
  async until(isReached: () => boolean, signal: AbortSignal): Promise<void> {
    while (!isReached() && !signal.aborted) await this.next(signal)
  }
}

/** Changes by name. Keeps nothing for a name that no caller waits for. */
export class NamedChanges {
  readonly #awaited = new Map<string, Changes>()

  announce(name: string): void {
    this.#awaited.get(name)?.announce()
  }

  /** As `Changes.next`. */
  async next(name: string, signal: AbortSignal, maxMs?: number): Promise<void> {
    const changes = this.#awaited.get(name) ?? new Changes()
    this.#awaited.set(name, changes)
    await changes.next(signal, maxMs)
    const isLast = !changes.isAwaited && this.#awaited.get(name) === changes
    if (isLast) this.#awaited.delete(name)
  }
}
