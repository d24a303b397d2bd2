/**
 * Deadlines of the calls of one session: `callMs` without progress, and ten times that in total. While an elicitation
 * is open the server waits for a person, so its silence does not count; the total does.
 */
import { CallTimeout } from './failure.ts'

const TOTAL_FACTOR = 10

/** Deadline and cancellation passed to one request. */
export interface CallTiming {
  /** The total limit, for the SDK. */
  readonly timeout: number
  /** Calls back once, on timeout or when the caller aborts: cheaper than `signal`, which is then never created. */
  readonly watch: (giveUp: (reason: unknown) => void) => void
  /** Restarts the timeout: the server has reported progress. */
  readonly onprogress: () => void
  /** Aborts on timeout, and with the caller. */
  readonly signal: AbortSignal
}

interface CallClock {
  readonly timing: CallTiming
  /** The call is over. */
  readonly end: () => void
}

interface HeldClocks extends Disposable {
  /** Aborts when the last call is over: no call needs the answer any more. */
  readonly signal: AbortSignal
}

export class CallClocks {
  /** The longest a call can take, however much progress the server reports. */
  readonly #totalMs: number
  readonly #callMs: number
  readonly #running = new Set<CallClock>()
  readonly #questions = new Set<AbortController>()

  constructor(callMs: number) {
    this.#callMs = callMs
    this.#totalMs = TOTAL_FACTOR * callMs
  }

  start(caller: AbortSignal): CallClock {
    const stop = new Stopper()
    const leave = (): void => stop.stop(caller.reason)
    const began = performance.now()
    const refresh = (): void => {
      if (performance.now() - began < this.#totalMs) timer.refresh()
    }
    const onLate = (): void => {
      if (this.#isHeld(began)) timer.refresh()
      else stop.stop(new CallTimeout())
    }
    const timer = setTimeout(onLate, this.#callMs)
    const clock: CallClock = {
      timing: {
        timeout: this.#totalMs,
        onprogress: refresh,
        watch: (giveUp) => stop.watch(giveUp),
        get signal() {
          return stop.signal
        },
      },
      end: () => {
        clearTimeout(timer)
        caller.removeEventListener('abort', leave)
        this.#end(clock)
      },
    }
    caller.addEventListener('abort', leave)
    if (caller.aborted) leave()
    this.#running.add(clock)
    return clock
  }

  /** Stops the clocks while a question is open; undefined where no call is under way. */
  hold(): HeldClocks | undefined {
    if (this.#running.size === 0) return undefined
    const question = new AbortController()
    this.#questions.add(question)
    return {
      signal: question.signal,
      [Symbol.dispose]: () => {
        this.#questions.delete(question)
        for (const { timing } of this.#running) timing.onprogress()
      },
    }
  }

  #isHeld(began: number): boolean {
    return this.#questions.size > 0 && performance.now() - began < this.#totalMs
  }

  #end(clock: CallClock): void {
    this.#running.delete(clock)
    if (this.#running.size > 0) return
    for (const question of this.#questions) question.abort()
  }
}

/** Ends one call by callback, or by a signal made on demand: creating a signal is a good part of the cost of a call. */
class Stopper {
  #controller: AbortController | undefined
  #giveUp: ((reason: unknown) => void) | undefined
  #stopped: { readonly reason: unknown } | undefined

  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#stopped) this.#controller.abort(this.#stopped.reason)
    return this.#controller.signal
  }

  watch(giveUp: (reason: unknown) => void): void {
    this.#giveUp = giveUp
    if (this.#stopped) giveUp(this.#stopped.reason)
  }

  stop(reason: unknown): void {
    if (this.#stopped) return
    this.#stopped = { reason }
    this.#controller?.abort(reason)
    this.#giveUp?.(reason)
  }
}
