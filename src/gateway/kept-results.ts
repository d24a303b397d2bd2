/**
 * Results of one session that were too long for its client, kept as handles with their labels. A handle is looked up in
 * its own session alone, so that one client's `r1` says nothing to another. Bounded in number, bytes and time; the oldest
 * goes first.
 */
import type { Labelled } from '../labels/labelled.ts'
import type { ResultPool } from './result-pool.ts'

const MOST = 32
const MOST_CHARACTERS = 32 * 2 ** 20
const KEPT_MS = 3_600_000

interface Kept {
  readonly value: Labelled
  readonly characters: number
  readonly until: number
}

export class KeptResults {
  readonly #kept = new Map<string, Kept>()
  readonly #suffix: string
  #pool: ResultPool | undefined
  #made = 0
  #characters = 0

  /** `suffix` ends every handle that is made here: kernels that share a session make no handle twice. */
  constructor(suffix = '') {
    this.#suffix = suffix
  }

  /** The handles that were made here. */
  get made(): readonly string[] {
    return [...this.#kept.keys()].filter((id) => id.endsWith(this.#suffix))
  }

  /** From here on, what is kept counts among the results of all sessions. */
  join(pool: ResultPool): void {
    this.#pool = pool
  }

  /** The new handle: `r1`, `r2` …, with the suffix. */
  keep(value: Labelled, characters: number, now: number = Date.now()): string {
    this.#made += 1
    const id = `r${this.#made}${this.#suffix}`
    this.admit(id, value, characters, now)
    return id
  }

  /** A result under a handle that another kernel made. */
  admit(id: string, value: Labelled, characters: number, now: number = Date.now()): void {
    const kept = { value, characters, until: now + KEPT_MS }
    this.#kept.set(id, kept)
    this.#characters += characters
    this.#pool?.add(kept, () => this.#drop(id))
    for (const [oldest, { until }] of this.#kept) {
      const isOver = this.#kept.size > MOST || this.#characters > MOST_CHARACTERS || until <= now
      if (!isOver || oldest === id) break
      this.#drop(oldest)
    }
  }

  /** Undefined for a handle that is unknown, over, or another session's. */
  find(id: string, now: number = Date.now()): Labelled | undefined {
    const kept = this.#kept.get(id)
    if (kept && kept.until <= now) this.#drop(id)
    return kept && kept.until > now ? kept.value : undefined
  }

  #drop(id: string): void {
    const kept = this.#kept.get(id)
    if (!kept) return
    this.#characters -= kept.characters
    this.#kept.delete(id)
    this.#pool?.remove(kept)
  }
}
