/** Counts the changes of something, and lets others wait for the next one. */
export class Versions {
  #number = 1
  #next = Promise.withResolvers<void>()

  get number(): number {
    return this.#number
  }

  bump(): void {
    this.#number += 1
    this.#next.resolve()
    this.#next = Promise.withResolvers<void>()
  }

  /** Resolves when `isReached` holds after a change, or when `signal` is aborted. */
  async until(isReached: () => boolean, signal: AbortSignal): Promise<void> {
    const aborted = Promise.withResolvers<void>()
    const onAbort = (): void => aborted.resolve()
    signal.addEventListener('abort', onAbort, { once: true })
    while (!isReached() && !signal.aborted) {
      await Promise.race([this.#next.promise, aborted.promise])
    }
    signal.removeEventListener('abort', onAbort)
  }
}
