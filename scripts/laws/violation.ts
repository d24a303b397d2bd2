/** One place that breaks a law of the house. Every law returns a list of these and never throws. */
export interface Violation {
  /** Relative to the project's root, with the line where there is one: `src/vault/lease.ts:12`. */
  readonly where: string
  readonly what: string
}
