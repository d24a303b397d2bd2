/**
 * What went wrong, as data. Rooms hand it on as it is, and only a surface makes sentences of it: a text that was put
 * together for people is never taken apart again to find out what it says.
 */
export interface Problem {
  /** `room.problem`, stable; docs/errors.md lists them all. */
  readonly code: string
  /** What is wrong, without a full stop. */
  readonly message: string
  /** What to do about it: one imperative sentence, without a full stop. */
  readonly hint: string
}
