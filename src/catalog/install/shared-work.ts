/**
 * Deduplicates concurrent work: callers with the same key share one run. The run is aborted when its last caller
 * leaves: no caller waits longer than it wants to, and none loses the work because another gave up.
 */

type Progress = (step: string, done?: string) => void
type Work<T> = (progress: Progress, signal: AbortSignal) => Promise<T>

interface Flight<T> {
  readonly result: Promise<T>
  readonly listeners: Set<Progress>
  readonly control: AbortController
  waiting: number
  lastStep?: Parameters<Progress>
}

export interface SharedWork<T> {
  do(key: string, work: Work<T>, progress: Progress, signal: AbortSignal): Promise<T>
}

export function createSharedWork<T>(): SharedWork<T> {
  const flights = new Map<string, Flight<T>>()
  const start = (key: string, work: Work<T>): Flight<T> => {
    const listeners: Flight<T>['listeners'] = new Set()
    const control = new AbortController()
    const tell: Progress = (...step) => {
      flight.lastStep = step
      for (const listener of listeners) listener(...step)
    }
    const result = Promise.resolve()
      .then(() => work(tell, control.signal))
      .finally(() => flights.delete(key))
    const flight: Flight<T> = { result, listeners, control, waiting: 0 }
    flights.set(key, flight)
    return flight
  }
  return {
    async do(key, work, progress, signal) {
      const given = flights.get(key)
      // A run that is being aborted is not joined, but awaited: it may still be cleaning up.
      if (given?.control.signal.aborted) await given.result.catch(() => undefined)
      signal.throwIfAborted()
      const flight = flights.get(key) ?? start(key, work)
      return await join(flight, progress, signal)
    },
  }
}

async function join<T>(flight: Flight<T>, progress: Progress, signal: AbortSignal): Promise<T> {
  const leave = (): void => {
    flight.waiting -= 1
    if (flight.waiting === 0) flight.control.abort(signal.reason)
    else left.reject(signal.reason)
  }
  const left = Promise.withResolvers<never>()
  flight.waiting += 1
  flight.listeners.add(progress)
  if (flight.lastStep !== undefined) progress(...flight.lastStep)
  signal.addEventListener('abort', leave)
  try {
    return await Promise.race([flight.result, left.promise])
  } finally {
    signal.removeEventListener('abort', leave)
    flight.listeners.delete(progress)
  }
}
