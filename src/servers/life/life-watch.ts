/**
 * The timers of one server's life. Each state has its own, and entering a state ends those of the state before, so no
 * timer of a past state can fire. Only a restart that is due keeps the process of Cordon alive.
 */
import type { Life, LifeEvent } from './next-life.ts'
import type { Timings } from './timings.ts'

export interface WatchActs {
  step(event: LifeEvent): void
  /** Stops an idle server, or checks that the server still answers. */
  lookAfter(): void
}

export class LifeWatch {
  readonly #timings: Timings
  readonly #acts: WatchActs
  #timers: readonly NodeJS.Timeout[] = []

  constructor(timings: Timings, acts: WatchActs) {
    this.#timings = timings
    this.#acts = acts
  }

  enter(life: Life): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers = this.#timersFor(life)
  }

  #timersFor(life: Life): readonly NodeJS.Timeout[] {
    const { restartDelaysMs, stableMs, healthMs } = this.#timings
    switch (life.kind) {
      case 'backoff':
        return [this.#after(delayOf(restartDelaysMs, life.restarts), { kind: 'retry' })]
      case 'connected':
        return [
          this.#after(stableMs, { kind: 'stable' }).unref(),
          setInterval(() => this.#acts.lookAfter(), healthMs).unref(),
        ]
      default:
        return []
    }
  }

  #after(ms: number, event: LifeEvent): NodeJS.Timeout {
    return setTimeout(() => this.#acts.step(event), ms)
  }
}

/** Restarts beyond the last delay wait as long as that. */
function delayOf(delaysMs: readonly number[], restart: number): number {
  return delaysMs[restart - 1] ?? delaysMs.at(-1) ?? 0
}

/** An act that takes long is repeated seldom: it may take a twentieth of the time. */
const SHARE = 20
const LONGEST_PAUSE_MS = 5 * 60_000

/** Coalesces calls: `act` runs once, `ms` after the first of them, or later if it took long the last time. */
export function delayed(ms: number, act: () => unknown): () => void {
  let isPlanned = false
  let pauseMs = ms
  const run = async (): Promise<void> => {
    isPlanned = false
    const began = performance.now()
    await act()
    const taken = performance.now() - began
    pauseMs = Math.min(Math.max(ms, SHARE * taken), Math.max(ms, LONGEST_PAUSE_MS))
  }
  return () => {
    if (isPlanned) return
    isPlanned = true
    setTimeout(() => void run(), pauseMs).unref()
  }
}
