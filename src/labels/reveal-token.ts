/**
 * The paper against which a labelled value is opened. It is issued in few places, each after the check of where the
 * value goes; a test counts them.
 */
export class RevealToken {
  readonly #issued = true

  private constructor() {
    Object.freeze(this)
  }

  static issue(): RevealToken {
    return new RevealToken()
  }

  /** No object of another making passes, whatever its type says. */
  static isGenuine(pass: RevealToken): boolean {
    return #issued in pass && pass.#issued
  }
}
