/**
 * Deadlines of the calls of one session: `callMs` without progress, and ten times that in total. While an elicitation
 * is open the server waits for a person, so its silence does not count; the total does. An elicitation that is known to
 * belong to one call stops the clock of that call alone.
 */
import type { AskerOf, AskingCalls } from '../../kernel/elicitation.ts'
import { BriefSet } from '../../text/brief-map.ts'
import { CallTimeout } from './failure.ts'

const TOTAL_FACTOR = 10
/** The server is told of each call that is given up. A question that it had written by then comes within this time. */
const CROSSING_MS = 3000
/** Calls that were given up and are remembered. */
const MOST_LEFT = 1000

/** Deadline and cancellation of one call. */
export interface CallTiming {
  /** Calls back once, on timeout or when the caller aborts: cheaper than a signal, which is then never created. */
  watch(giveUp: (reason: unknown) => void): void
  /** The server has answered a call that was given up: it asks nothing more about it. */
  answeredLate(): void
  /** Restarts the timeout: the server has reported progress, with these parameters. */
  progressed(params?: unknown): void
}

/** The same for the SDK. */
export interface RequestTiming {
  /** The total limit. */
  readonly timeout: number
  readonly onprogress: (params: unknown) => void
  /** Aborts on timeout, and with the caller. */
  readonly signal: AbortSignal
}

interface HeldClocks extends Disposable {
  /** Aborts when the last of `calls` is over: no call needs the answer any more. */
  readonly signal: AbortSignal
  readonly calls: AskingCalls
}

interface OpenQuestion {
  readonly stop: AbortController
  /** The calls that it may belong to, and that are not over. */
  readonly calls: Set<CallClock>
  isLeft: boolean
  ended: PromiseWithResolvers<void>
}

export class CallClocks {
  callMs: number
  readonly #running = new BriefSet<CallClock>()
  readonly #questions = new Set<OpenQuestion>()
  /** Calls that were given up, for as long as the server may still ask about them. */
  readonly #left = new Map<CallClock, { readonly asker: unknown; readonly until: number }>()
  readonly #askerOf: AskerOf
  #worksOn = false

  constructor(callMs: number, askerOf: AskerOf = () => undefined) {
    this.callMs = callMs
    this.#askerOf = askerOf
  }

  /** The longest a call can take, however much progress the server reports. */
  get totalMs(): number {
    return TOTAL_FACTOR * this.callMs
  }

  get underWay(): number {
    return this.#running.size
  }

  /** The call that is under way, if the server can work on no other. */
  get only(): CallClock | undefined {
    const [first] = this.#running.values()
    return this.#running.size === 1 && this.#stillLeft().length === 0 ? first : undefined
  }

  /** Whether a person is asked for the sake of this call, so that the silence of the server does not count. */
  isHeld(clock: CallClock): boolean {
    return [...this.#questions].some(({ calls }) => calls.has(clock))
  }

  start(callId: string, caller: AbortSignal, onProgress?: (params: unknown) => void): CallClock {
    const clock = new CallClock(this, callId, caller, onProgress)
    this.#running.add(clock)
    return clock
  }

  /** The call of this clock is over. */
  end(clock: CallClock): void {
    this.#running.delete(clock)
    if (clock.isGivenUp) this.#leave(clock)
    for (const question of this.#questions) {
      if (!question.calls.has(clock)) continue
      if (clock.isGivenUp) question.isLeft = true
      question.calls.delete(clock)
      if (question.calls.size === 0) question.stop.abort()
      question.ended.resolve()
      question.ended = Promise.withResolvers()
    }
  }

  /** Stops clocks while a question is open: that of its call, or all. Undefined where no such call is under way. */
  hold(own?: CallClock): HeldClocks | undefined {
    const calls = new Set(
      own ? [own].filter((one) => this.#running.has(one)) : this.#running.values(),
    )
    if (calls.size === 0) return undefined
    const stop = new AbortController()
    const question = { stop, calls, isLeft: false, ended: Promise.withResolvers<void>() }
    this.#questions.add(question)
    return {
      signal: stop.signal,
      calls: {
        open: () => (question.isLeft ? undefined : [...calls].map(({ callId }) => callId)),
        left: () => (own ? [] : this.#stillLeft()),
        changed: () => question.ended.promise,
      },
      [Symbol.dispose]: () => {
        this.#questions.delete(question)
        for (const clock of calls) clock.progressed()
      },
    }
  }

  /** After a late answer the server asks nothing more about the call, and is known to work on after a cancellation. */
  forget(clock: CallClock): void {
    this.#worksOn = true
    this.#left.delete(clock)
  }

  /** A server that has answered a call after its end takes no cancellation, and works on for the longest time of a call. */
  #leave(clock: CallClock): void {
    const asker = this.#askerOf(clock.callId)
    const forMs = this.#worksOn ? this.totalMs : CROSSING_MS
    this.#left.set(clock, { asker, until: performance.now() + forMs })
    const [oldest] = this.#left.keys()
    if (this.#left.size > MOST_LEFT && oldest) this.#left.delete(oldest)
  }

  /** Their askers. */
  #stillLeft(): readonly unknown[] {
    const now = performance.now()
    for (const [clock, { until }] of this.#left) if (until < now) this.#left.delete(clock)
    return [...this.#left.values()].map(({ asker }) => asker)
  }
}

/** One call, until it is disposed of. A class with plain fields: every call pays for its clock. */
export class CallClock implements CallTiming, Disposable {
  readonly callId: string
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
    callId: string,
    caller: AbortSignal,
    onProgress: ((params: unknown) => void) | undefined,
  ) {
    this.#clocks = clocks
    this.callId = callId
    this.#caller = caller
    this.#onProgress = onProgress
    this.#timer = setTimeout(() => this.#late(), clocks.callMs)
    caller.addEventListener('abort', this.#leave)
    if (caller.aborted) this.#leave()
  }

  /** By its deadline or its caller, before the server answered. */
  get isGivenUp(): boolean {
    return this.#stopped !== undefined
  }

  watch(giveUp: (reason: unknown) => void): void {
    this.#giveUp = giveUp
    if (this.#stopped) giveUp(this.#stopped.reason)
  }

  answeredLate(): void {
    this.#clocks.forget(this)
  }

  progressed(params?: unknown): void {
    if (this.#hasTimeLeft()) this.#timer.refresh()
    if (params !== undefined) this.#onProgress?.(params)
  }

  #late(): void {
    if (this.#clocks.isHeld(this) && this.#hasTimeLeft()) this.#timer.refresh()
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
