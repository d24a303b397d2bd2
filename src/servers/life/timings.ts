/** Timeouts and intervals of a server's life. The documentation promises the defaults; tests use shorter ones. */

export interface Timings {
  /** Delay before the first, second and third restart. */
  readonly restartDelaysMs: readonly number[]
  /** After this long without a crash, earlier restarts are forgotten. */
  readonly stableMs: number
  readonly healthMs: number
  /** A lazy server is stopped after this long without a call. */
  readonly idleMs: number
  readonly startMs: number
  /** How long a server may take to answer or refuse the request that probes its protocol era. */
  readonly probeMs: number
  readonly callMs: number
  /** After `tools/list_changed`, a server's list is read at most this often. */
  readonly relistMs: number
}

export const TIMINGS: Timings = {
  restartDelaysMs: [1000, 5000, 30_000],
  stableMs: 10 * 60_000,
  healthMs: 60_000,
  idleMs: 30 * 60_000,
  startMs: 30_000,
  probeMs: 3000,
  callMs: 30_000,
  relistMs: 1000,
}
