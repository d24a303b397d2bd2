/** A condition variable: everybody who waits goes on at the next `notifyAll`, and then looks for themselves what is true. */
export class Condition {
  #next = Promise.withResolvers<void>()

  notifyAll(): void {
    this.#next.resolve()
    this.#next = Promise.withResolvers<void>()
  }

  /** Rejects when the signal is aborted; without one it may wait for ever. */
  async wait(signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted()
    const aborted = Promise.withResolvers<never>()
    const abort = (): void => aborted.reject(signal?.reason as Error)
    signal?.addEventListener('abort', abort, { once: true })
    try {
      await Promise.race([this.#next.promise, aborted.promise])
    } finally {
      signal?.removeEventListener('abort', abort)
    }
  }
}
