/** Who uses a server: calls under way, those of them that hold its session, and when the last one was. */

export class Usage {
  readonly #now: () => number
  #calls = 0
  #atWork = 0
  #lastUsed = 0
  #rested = Promise.withResolvers<void>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** Calls under way, those included that wait for a session. */
  get calls(): number {
    return this.#calls
  }
  get lastUsed(): number {
    return this.#lastUsed
  }

  /** As if it had just been used. */
  touch(): void {
    this.#lastUsed = this.#now()
  }

  /** Marks a call as under way. */
  begin(): Disposable {
    this.#calls += 1
    this.touch()
    return {
      [Symbol.dispose]: () => {
        this.#calls -= 1
        this.touch()
      },
    }
  }

  /** Marks a call as holding the session. */
  work(): Disposable {
    this.#atWork += 1
    return {
      [Symbol.dispose]: () => {
        this.#atWork -= 1
        if (this.#atWork > 0) return
        this.#rested.resolve()
        this.#rested = Promise.withResolvers<void>()
      },
    }
  }

  /** Resolves when no call holds the session. */
  async rest(): Promise<void> {
    while (this.#atWork > 0) await this.#rested.promise
  }
}
