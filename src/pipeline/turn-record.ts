/** The events of one turn, in memory, for all who follow it. */
import type { TurnEvent, TurnNews, TurnView } from '../ports/turn-port.ts'
import type { ModelUsage } from '../ports/model-port.ts'
import { Changes } from '../text/changes.ts'
import { sumUsage, type TokenUsage, usageOfModel } from '../text/token-usage.ts'

/** News that comes in bursts; a question, a plan or the answer is told at once. */
const IN_BURSTS: ReadonlySet<TurnNews['kind']> = new Set(['using', 'used', 'piece'])
/** The news of one burst shares a response. Shorter than a person notices. */
const BURST_MS = 15

export class TurnRecord {
  readonly id: string
  readonly #events: TurnEvent[] = []
  readonly #changed = new Changes()
  #isOver = false
  readonly #spent: TokenUsage[] = []
  /** Counts an answer of a model for this turn. */
  readonly onUsage = (usage: ModelUsage): void => this.spend(usageOfModel(usage))

  constructor(id: string) {
    this.id = id
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Of all models that were asked; undefined if none was. */
  get usage(): TokenUsage | undefined {
    return sumUsage(this.#spent)
  }

  spend(usage: TokenUsage): void {
    this.#spent.push(usage)
  }

  /** Nothing is told after the answer. */
  tell(news: TurnNews): void {
    if (this.#isOver) return
    this.#events.push({ ...news, number: this.#events.length + 1 })
    if (news.kind === 'answer') this.#isOver = true
    this.#changed.announce()
  }

  async follow(after: number, signal: AbortSignal): Promise<TurnView> {
    const isNews = (): boolean => this.#events.length > after || this.#isOver
    await this.#changed.until(isNews, signal)
    await this.#burst(after, signal)
    return { turn: this.id, isOver: this.#isOver, events: this.#events.slice(after) }
  }

  /** Waits for the rest of a burst: a request for every piece costs more than the piece. */
  async #burst(after: number, signal: AbortSignal): Promise<void> {
    const isBurst = (): boolean =>
      !this.#isOver && this.#events.slice(after).every(({ kind }) => IN_BURSTS.has(kind))
    const end = performance.now() + BURST_MS
    for (let left = BURST_MS; left > 0 && isBurst() && !signal.aborted; ) {
      await this.#changed.next(signal, left)
      left = end - performance.now()
    }
  }
}
