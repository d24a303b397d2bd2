/** Timeouts and intervals of a server's life. The documentation promises the defaults; tests use shorter ones. */
import { DEFAULT_LIMITS } from '../../text/server-limits.ts'

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
  /** How long a start waits while all places are taken by servers that work. */
  readonly slotMs: number
  /** After `tools/list_changed`, a server's list is read at most this often. */
  readonly relistMs: number
}

export const TIMINGS: Timings = {
  restartDelaysMs: [1000, 5000, 30_000],
  stableMs: 10 * 60_000,
  healthMs: 60_000,
  idleMs: DEFAULT_LIMITS.idleMs,
  startMs: 30_000,
  probeMs: 3000,
  callMs: DEFAULT_LIMITS.callMs,
  slotMs: 30_000,
  relistMs: 1000,
}
