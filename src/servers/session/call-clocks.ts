/**
 * Deadlines of the calls of one session: `callMs` without progress, and ten times that in total. While an elicitation
 * is open the server waits for a person, so its silence does not count; the total does.
 */
import { CallTimeout } from './failure.ts'

const TOTAL_FACTOR = 10

/** Deadline and cancellation of one call. */
export interface CallTiming {
  /** Calls back once, on timeout or when the caller aborts: cheaper than a signal, which is then never created. */
  watch(giveUp: (reason: unknown) => void): void
  /** Restarts the timeout: the server has reported progress, with these parameters. */
  progressed(params?: unknown): void
}

/** The same for the SDK. */
interface RequestTiming {
  /** The total limit. */
  readonly timeout: number
  readonly onprogress: (params: unknown) => void
  /** Aborts on timeout, and with the caller. */
  readonly signal: AbortSignal
}

interface HeldClocks extends Disposable {
  /** Aborts when the last call is over: no call needs the answer any more. */
  readonly signal: AbortSignal
}

export class CallClocks {
  callMs: number
  readonly #running = new Set<CallClock>()
  readonly #questions = new Set<AbortController>()

  constructor(callMs: number) {
    this.callMs = callMs
  }

  /** The longest a call can take, however much progress the server reports. */
  get totalMs(): number {
    return TOTAL_FACTOR * this.callMs
  }

  /** Whether a person is asked, so that the silence of the server does not count. */
  get isHeld(): boolean {
    return this.#questions.size > 0
  }

  start(caller: AbortSignal, onProgress?: (params: unknown) => void): CallClock {
    const clock = new CallClock(this, caller, onProgress)
    this.#running.add(clock)
    return clock
  }

  /** The call of this clock is over. */
  end(clock: CallClock): void {
    this.#running.delete(clock)
    if (this.#running.size > 0) return
    for (const question of this.#questions) question.abort()
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
        for (const clock of this.#running) clock.progressed()
      },
    }
  }
}

/** One call, until it is disposed of. A class with plain fields: every call pays for its clock. */
class CallClock implements CallTiming, Disposable {
  readonly #clocks: CallClocks
  readonly #caller: AbortSignal
  readonly #onProgress: ((params: unknown) => void) | undefined
  readonly #began = performance.now()
  readonly #timer: NodeJS.Timeout
  readonly #leave = (): void => this.#stop(this.#caller.reason)
  #giveUp: ((reason: unknown) => void) | undefined
  #controller: AbortController | undefined
  #stopped: { readonly reason: unknown } | undefined

  constructor(
    clocks: CallClocks,
    caller: AbortSignal,
    onProgress: ((params: unknown) => void) | undefined,
  ) {
    this.#clocks = clocks
    this.#caller = caller
    this.#onProgress = onProgress
    this.#timer = setTimeout(() => this.#late(), clocks.callMs)
    caller.addEventListener('abort', this.#leave)
    if (caller.aborted) this.#leave()
  }

  watch(giveUp: (reason: unknown) => void): void {
    this.#giveUp = giveUp
    if (this.#stopped) giveUp(this.#stopped.reason)
  }

  progressed(params?: unknown): void {
    if (this.#hasTimeLeft()) this.#timer.refresh()
    if (params !== undefined) this.#onProgress?.(params)
  }

  #late(): void {
    if (this.#clocks.isHeld && this.#hasTimeLeft()) this.#timer.refresh()
    else this.#stop(new CallTimeout())
  }

  forRequest(): RequestTiming {
    this.#controller ??= new AbortController()
    if (this.#stopped) this.#controller.abort(this.#stopped.reason)
    const { signal } = this.#controller
    return {
      timeout: this.#clocks.totalMs,
      onprogress: (params) => this.progressed(params),
      signal,
    }
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer)
    this.#caller.removeEventListener('abort', this.#leave)
    this.#clocks.end(this)
  }

  #hasTimeLeft(): boolean {
    return performance.now() - this.#began < this.#clocks.totalMs
  }

  #stop(reason: unknown): void {
    if (this.#stopped) return
    this.#stopped = { reason }
    this.#controller?.abort(reason)
    this.#giveUp?.(reason)
  }
}
