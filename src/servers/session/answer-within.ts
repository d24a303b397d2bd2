/**
 * Waits for the next message of a worker thread, as long as the thread has processor time left for it. Time on the clock
 * alone decides nothing: on a busy machine the thread may not run, and its answer may wait for the main thread. Never ends
 * the thread.
 */
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import type { Worker } from 'node:worker_threads'

/** A thread that gets less than a tenth of a processor is given up all the same. */
const SLOWEST = 10
const LEAST_WAIT_MS = 20

export interface ProcessorTime {
  /** Of the thread, when it got the question. */
  readonly before: number
  readonly most: number
}

/** In milliseconds of processor time. Rejects when the thread has used them up, or has ended. */
export async function answerWithin<T>(worker: Worker, { before, most }: ProcessorTime): Promise<T> {
  const over = new AbortController()
  const { signal } = over
  const answered = once(worker, 'message', { signal })
  const settled = answered.then(
    () => true,
    () => true,
  )
  const latest = performance.now() + most * SLOWEST
  const waits = (ms: number) => delay(ms, false, { signal, ref: false }).catch(() => false)
  for (let left = most; left > 0 && performance.now() < latest; ) {
    if (await Promise.race([settled, waits(Math.max(left, LEAST_WAIT_MS))])) break
    const never = waits(most * SLOWEST).then(() => Number.POSITIVE_INFINITY)
    left = before + most - (await Promise.race([cpuTimeOf(worker), never]))
  }
  over.abort()
  const [answer] = (await answered) as [T]
  return answer
}

async function cpuTimeOf(worker: Worker): Promise<number> {
  const { user, system } = await worker.cpuUsage()
  return (user + system) / 1000
}
