/**
 * How long the calls of one session may take: so long without a sign of life, and ten times that in all. While a question
 * to the owner is open the server waits for a person, so its silence does not count; the bound on the whole does.
 */
import { CallTimeout } from './failure.ts'

const TOTAL_FACTOR = 10

/** What whoever makes a request is told about it. */
export interface CallTiming {
  /** At the latest, for the SDK. */
  readonly timeout: number
  /** Nobody else has to look at the clock: `signal` aborts in time. */
  readonly isWatched?: true
  readonly maxTotalTimeout?: number
  readonly resetTimeoutOnProgress?: boolean
  readonly onprogress: () => void
  /** Aborts when the time is up, and with the caller. */
  readonly signal: AbortSignal
}

export interface CallClock {
  readonly timing: CallTiming
  /** The call is over. */
  readonly end: () => void
}

export interface HeldClocks extends Disposable {
  /** Aborts when the last call is over: nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

export interface Clocks {
  start(caller: AbortSignal): CallClock
  /** Stops the clocks while a question is open; undefined where no call is under way. */
  hold(): HeldClocks | undefined
}

/** Where nobody can be asked, no clock is ever stopped, and the SDK's own do. They cost a third of a call less. */
export function simpleClocks(callMs: number): Clocks {
  const maxTotalTimeout = TOTAL_FACTOR * callMs
  const nothing = (): void => undefined
  return {
    start: (signal) => ({
      timing: {
        timeout: callMs,
        maxTotalTimeout,
        resetTimeoutOnProgress: true,
        onprogress: nothing,
        signal,
      },
      end: nothing,
    }),
    hold: () => undefined,
  }
}

interface RunningClock extends CallClock {
  /** A sign of life. */
  readonly refresh: () => void
}

export class CallClocks implements Clocks {
  /** The longest a call can take, whatever the server tells of it. */
  readonly #totalMs: number
  readonly #callMs: number
  readonly #running = new Set<RunningClock>()
  readonly #questions = new Set<AbortController>()

  constructor(callMs: number) {
    this.#callMs = callMs
    this.#totalMs = TOTAL_FACTOR * callMs
  }

  start(caller: AbortSignal): CallClock {
    const stop = new AbortController()
    const giveUp = (): void => stop.abort(caller.reason)
    const began = performance.now()
    const refresh = (): void => {
      if (performance.now() - began < this.#totalMs) timer.refresh()
    }
    const onLate = (): void => (this.#isHeld(began) ? refresh() : stop.abort(new CallTimeout()))
    const timer = setTimeout(onLate, this.#callMs)
    const clock: RunningClock = {
      timing: {
        timeout: this.#totalMs,
        isWatched: true,
        onprogress: refresh,
        signal: stop.signal,
      },
      refresh,
      end: () => {
        clearTimeout(timer)
        caller.removeEventListener('abort', giveUp)
        this.#end(clock)
      },
    }
    caller.addEventListener('abort', giveUp)
    if (caller.aborted) giveUp()
    this.#running.add(clock)
    return clock
  }

  hold(): HeldClocks | undefined {
    if (this.#running.size === 0) return undefined
    const question = new AbortController()
    this.#questions.add(question)
    return {
      signal: question.signal,
      [Symbol.dispose]: () => {
        this.#questions.delete(question)
        for (const clock of this.#running) clock.refresh()
      },
    }
  }

  #isHeld(began: number): boolean {
    return this.#questions.size > 0 && performance.now() - began < this.#totalMs
  }

  #end(clock: RunningClock): void {
    this.#running.delete(clock)
    if (this.#running.size > 0) return
    for (const question of this.#questions) question.abort()
  }
}
