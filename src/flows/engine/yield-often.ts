/**
 * Gives the event loop a turn now and then: steps without I/O follow each other as microtasks, and while those run no
 * request, timer or signal is handled. One instance for all runs of a process, so that they share the limit.
 */
import { setImmediate as nextTurn } from 'node:timers/promises'

/** The event loop is blocked no longer than this, plus one step. */
const MOST_MS = 20

export type YieldOften = () => Promise<void>

export function createYielding(now: () => number = () => performance.now()): YieldOften {
  let last = now()
  return async () => {
    if (now() - last < MOST_MS) return
    await nextTurn()
    last = now()
  }
}
