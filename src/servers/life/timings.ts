/** How long everything may take. The defaults are the promises of the documentation; tests are in more of a hurry. */

export interface Timings {
  /** After the first, second and third death. */
  readonly restartDelaysMs: readonly number[]
  /** So long without a death, and the earlier ones are forgotten. */
  readonly stableMs: number
  readonly healthMs: number
  /** A lazy server that nobody uses is stopped after this. */
  readonly idleMs: number
  readonly startMs: number
  readonly callMs: number
  /** A server that says that its tools changed is listened to this often at most. */
  readonly relistMs: number
}

export const TIMINGS: Timings = {
  restartDelaysMs: [1000, 5000, 30_000],
  stableMs: 10 * 60_000,
  healthMs: 60_000,
  idleMs: 30 * 60_000,
  startMs: 30_000,
  callMs: 30_000,
  relistMs: 1000,
}
