/**
 * A clock for waits. It follows the wall clock, also over a suspension of the machine; when that clock is set back it goes
 * on with the monotonic one, so no wait of this process gets longer.
 */

/** The longest wait that a flow may ask for, in `wait` of a node. A stored time beyond it was written before a set-back. */
export const LONGEST_WAIT_MS = 3_600_000

/** Whole milliseconds since 1970, as `now` gives them. */
export function createForwardClock(now: () => number): () => number {
  let last = now()
  let steady = performance.now()
  return () => {
    const passed = performance.now() - steady
    steady += passed
    last = Math.max(last + passed, now())
    return Math.floor(last)
  }
}
