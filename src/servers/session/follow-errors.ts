/**
 * Reads what a process writes to standard error into its log, no faster than a rate limit. Beyond it the pipe is left
 * to fill up, so a process that floods waits in its own `write` and costs nobody else anything. No byte is skipped: a
 * secret that is split between two chunks stays hidden. Reading goes on as soon as the limit allows, so nobody waits for ever.
 */
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type Allowance, createAllowance } from './allowance.ts'
import type { LogRing } from './log-ring.ts'

/** More at once than a program says when it starts or fails, and less a second than anybody would notice. */
export const STDERR_ALLOWANCE: Allowance = { atOnce: 4 * 2 ** 20, perSecond: 256 * 2 ** 10 }
/** The shortest chunk costs as much to read as one of so many bytes. */
const CHUNK_COST = 512
/** Long enough for the pipe to fill, so that a flood comes in few large chunks. */
const PAUSE_MS = 100
const HELD_BACK = 'It writes more to standard error than is read: it has to wait'

interface Clock {
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<unknown>
}

const CLOCK: Clock = {
  now: () => performance.now(),
  sleep: (ms) => delay(ms, undefined, { ref: false }),
}

/** Settles when everything that was said is in the ring; never rejects. */
export async function followErrors(
  stderr: Readable,
  ring: LogRing,
  { now, sleep }: Clock = CLOCK,
): Promise<void> {
  const follower = ring.follow('stderr')
  const takes = createAllowance(STDERR_ALLOWANCE, now)
  try {
    for await (const chunk of stderr as AsyncIterable<Buffer>) {
      let isHeldBack = false
      while (!takes(Math.min(chunk.length + CHUNK_COST, STDERR_ALLOWANCE.atOnce))) {
        isHeldBack = true
        await sleep(PAUSE_MS)
      }
      follower.push(chunk)
      if (isHeldBack) ring.add('cordon', HELD_BACK)
    }
  } catch {
    // The pipe broke. Why is said by the end of the process.
  }
  follower.end()
}
