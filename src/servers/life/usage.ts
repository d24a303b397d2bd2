/**
 * The use of a server: calls under way, calls that hold its session, and the time of the last use. Plain counters,
 * since every call updates them.
 */

export class Usage {
  readonly #now: () => number
  #calls = 0
  #atWork = 0
  #lastUsed = 0
  #lastCalled = 0
  #rested: PromiseWithResolvers<void> | undefined

  constructor(now: () => number) {
    this.#now = now
  }

  /** Calls under way, including those that wait for a session. */
  get calls(): number {
    return this.#calls
  }
  get unusedMs(): number {
    return this.#now() - this.#lastUsed
  }
  /** 0 before the first call. */
  get lastCalled(): number {
    return this.#lastCalled
  }

  /** Sets the time of the last use to now. */
  touch(): void {
    this.#lastUsed = this.#now()
  }

  /** A call is under way, until `endCall`. */
  beginCall(): void {
    this.#calls += 1
    this.touch()
  }

  endCall(): void {
    this.#calls -= 1
    this.touch()
    this.#lastCalled = this.#lastUsed
  }

  /** A call holds the session, until `endWork`. */
  beginWork(): void {
    this.#atWork += 1
  }

  endWork(): void {
    this.#atWork -= 1
    if (this.#atWork === 0) this.#rested?.resolve()
  }

  /** Resolves when no call holds the session. */
  async rest(): Promise<void> {
    while (this.#atWork > 0) {
      this.#rested ??= Promise.withResolvers<void>()
      await this.#rested.promise
      this.#rested = undefined
    }
  }
}
