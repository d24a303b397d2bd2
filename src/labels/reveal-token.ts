/**
 * The paper against which a labelled value is opened. It is issued in few places, each after the check of where the
 * value goes; a test counts them.
 */
export class Pass {
  readonly #paper = true

  private constructor() {
    Object.freeze(this)
  }

  static issue(): Pass {
    return new Pass()
  }

  /** No object of another making passes, whatever its type says. */
  static isGenuine(pass: Pass): boolean {
    return #paper in pass && pass.#paper
  }
}
