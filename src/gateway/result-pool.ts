/** The kept results of all sessions together, bounded: many sessions cannot fill the memory. The oldest goes first. */

const MOST_CHARACTERS = 128 * 2 ** 20

interface Counted {
  readonly characters: number
}

export class ResultPool {
  readonly #drops = new Map<Counted, () => void>()
  #characters = 0

  add(kept: Counted, drop: () => void): void {
    this.#drops.set(kept, drop)
    this.#characters += kept.characters
    for (const [oldest, dropOldest] of this.#drops) {
      if (this.#characters <= MOST_CHARACTERS || oldest === kept) return
      dropOldest()
    }
  }

  remove(kept: Counted): void {
    if (this.#drops.delete(kept)) this.#characters -= kept.characters
  }
}
