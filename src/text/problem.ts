/**
 * A failure as data. Rooms pass it on unchanged, and only a surface turns it into sentences: a text that was written
 * for people is never parsed again.
 */
export interface Problem {
  /** `room.problem`, stable; docs/errors.md lists them all. */
  readonly code: string
  /** The failure in one sentence, without a full stop. */
  readonly message: string
  /** The remedy: one imperative sentence, without a full stop. */
  readonly hint: string
}
