/**
 * Reads the standard error of a process, or a standard output that carries no messages, into its log, under a rate limit. Above the limit the pipe fills up
 * (back-pressure), so a process that floods blocks in its own `write` and costs no other server anything. No byte is
 * skipped: a secret that is split between two chunks is still redacted. Reading goes on as soon as the limit allows,
 * so no process blocks for ever.
 */
import type { Readable } from 'node:stream'
import { setTimeout as delay } from 'node:timers/promises'
import { type Allowance, createAllowance } from './allowance.ts'
import type { LogRing } from './log-ring.ts'

/** The burst is larger than what a program writes at its start or end; the rate costs no noticeable time. */
export const STDERR_ALLOWANCE: Allowance = { atOnce: 4 * 2 ** 20, perSecond: 256 * 2 ** 10 }
/** Overhead of a chunk, in bytes that cost as much to read. */
const CHUNK_COST = 512
/** Long enough for the pipe to fill, so that a flood comes in few large chunks. */
const PAUSE_MS = 100
const HELD_BACK = {
  stderr: 'It writes more to standard error than is read: it has to wait',
  stdout: 'It writes more to standard output than is read: it has to wait',
} as const

interface Clock {
  readonly now: () => number
  readonly sleep: (ms: number) => Promise<unknown>
}

const CLOCK: Clock = {
  now: () => performance.now(),
  sleep: (ms) => delay(ms, undefined, { ref: false }),
}

/** Settles when all of stderr is in the ring; never rejects. */
export async function followErrors(
  stderr: Readable,
  ring: LogRing,
  clock: Clock = CLOCK,
): Promise<void> {
  await followLog('stderr', stderr, ring, clock)
}

/** Settles when the whole stream is in the ring; never rejects. */
export async function followLog(
  from: 'stderr' | 'stdout',
  stream: Readable,
  ring: LogRing,
  { now, sleep }: Clock = CLOCK,
): Promise<void> {
  const follower = ring.follow(from)
  const takes = createAllowance(STDERR_ALLOWANCE, now)
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      let isHeldBack = false
      while (!takes(Math.min(chunk.length + CHUNK_COST, STDERR_ALLOWANCE.atOnce))) {
        isHeldBack = true
        await sleep(PAUSE_MS)
      }
      follower.push(chunk)
      if (isHeldBack) ring.add('cordon', HELD_BACK[from])
    }
  } catch {
    // The pipe broke; the end of the process tells the reason.
  }
  follower.end()
}
