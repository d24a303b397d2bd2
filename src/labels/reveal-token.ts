/**
 * The unforgeable token without which no labelled value can be opened. It is issued in few places, each after a check
 * of where the value goes; a test lists those places.
 */
export class RevealToken {
  readonly #issued = true

  private constructor() {
    Object.freeze(this)
  }

  static issue(): RevealToken {
    return new RevealToken()
  }

  /** Refuses objects that `issue` did not make, whatever their type says. */
  static isGenuine(token: RevealToken): boolean {
    return #issued in token && token.#issued
  }
}
