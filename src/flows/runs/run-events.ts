/**
 * Live events of runs: only the newest, and in memory only. The steps on record outlive the process. A follower is woken in
 * the next turn of the event loop: steps that only compute follow one another within a turn, and a follower that woke for
 * each of them would cost more than the steps.
 */
import type { FlowEvent } from '../../ports/flow-port.ts'

const MOST_EVENTS = 2000
const MOST_RUNS = 500

export interface RunEvents {
  tell(run: string, event: Omit<FlowEvent, 'number' | 'at'>): void
  /** Calls `heard` with the run of each event. */
  onTold(heard: (run: string) => void): void
  after(run: string, number: number): readonly FlowEvent[]
  /** Resolves soon after the next event of the run, when `signal` aborts, or when the time is over. */
  wait(run: string, ms: number, signal: AbortSignal): Promise<void>
  /** Whether the run waits for an approval of the owner. */
  isAsking(run: string): boolean
  asking<T>(run: string, work: () => Promise<T>): Promise<T>
}

export function createRunEvents(now: () => number): RunEvents {
  const told = new Map<string, FlowEvent[]>()
  const wakers = new Map<string, Set<() => void>>()
  const asking = new Map<string, number>()
  const listeners: ((run: string) => void)[] = []
  let number = 0

  const eventsOf = (run: string): FlowEvent[] => {
    const known = told.get(run)
    if (known) return known
    const [oldest] = told.keys()
    if (told.size >= MOST_RUNS && oldest !== undefined) told.delete(oldest)
    const events: FlowEvent[] = []
    told.set(run, events)
    return events
  }
  return {
    tell(run, event) {
      number += 1
      const events = eventsOf(run)
      events.push({ ...event, number, at: new Date(now()).toISOString() })
      if (events.length > MOST_EVENTS) events.shift()
      for (const wake of wakers.get(run) ?? []) wake()
      for (const heard of listeners) heard(run)
    },
    onTold: (heard) => void listeners.push(heard),
    after: (run, last) => newerThan(told.get(run) ?? [], last),
    wait: createWait(wakers),
    isAsking: (run) => (asking.get(run) ?? 0) > 0,
    async asking(run, work) {
      asking.set(run, (asking.get(run) ?? 0) + 1)
      try {
        return await work()
      } finally {
        const left = (asking.get(run) ?? 1) - 1
        if (left > 0) asking.set(run, left)
        else asking.delete(run)
      }
    },
  }
}

/** Searches from the end, since most followers have seen all but the newest events. */
function newerThan(events: readonly FlowEvent[], last: number): readonly FlowEvent[] {
  return events.slice(events.findLastIndex(({ number }) => number <= last) + 1)
}

function createWait(wakers: Map<string, Set<() => void>>): RunEvents['wait'] {
  return async (run, ms, signal) => {
    if (signal.aborted) return
    const { promise, resolve } = Promise.withResolvers<void>()
    const waiting = wakers.get(run) ?? new Set()
    const wake = (): void => void (waiting.delete(wake) && setImmediate(resolve))
    wakers.set(run, waiting.add(wake))
    signal.addEventListener('abort', wake, { once: true })
    // Not unref'd: the timer keeps the process alive while it follows a run.
    const timer = setTimeout(wake, ms)
    await promise
    clearTimeout(timer)
    signal.removeEventListener('abort', wake)
    if (waiting.size === 0) wakers.delete(run)
  }
}
