/**
 * Who uses a server: calls under way, those of them that hold its session, and when the last one was. Counted by hand:
 * every call passes here twice.
 */

export class Usage {
  readonly #now: () => number
  #calls = 0
  #atWork = 0
  #lastUsed = 0
  #rested: PromiseWithResolvers<void> | undefined

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

  /** A call is under way, until `endCall`. */
  beginCall(): void {
    this.#calls += 1
    this.touch()
  }

  endCall(): void {
    this.#calls -= 1
    this.touch()
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
