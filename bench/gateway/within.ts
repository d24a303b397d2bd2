/** Time limits: a contender that hangs is left out with a reason instead of holding up the others. */
import { setTimeout as pause } from 'node:timers/promises'

/** Rejects after so long, and aborts the signal, on which every loop of the work looks. */
export async function within<T>(ms: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const over = new AbortController()
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    const error = new Error(`not done after ${Math.round(ms / 1000)} s`)
    over.abort(error)
    late.reject(error)
  }, ms)
  const working = work(over.signal)
  working.catch(() => undefined) // it may fail later than the limit, with nobody waiting
  try {
    return await Promise.race([working, late.promise])
  } finally {
    clearTimeout(timer)
  }
}

export async function until(
  holds: () => boolean | Promise<boolean>,
  signal: AbortSignal,
): Promise<void> {
  while (!(await holds())) {
    signal.throwIfAborted()
    await pause(10)
  }
}

export function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.slice(0, 200) : 'failed'
}
