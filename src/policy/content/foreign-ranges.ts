/**
 * The parts of one text that count as foreign: written by somebody else, and not by the server that the text goes to.
 * Text of the owner, and text that goes back to where it came from, is never among them. Holds offsets, no text.
 */
import { isHeldBy } from '../../labels/via-origin.ts'
import { isTrusted, type Label } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'

/** Whether a part with this label counts. */
export type IsForeign = (label: Label) => boolean

/** For the link guard: text of the server `spares` does not count. A value without origins is of unknown descent. */
export function comesFromElsewhere(spares: string | undefined): IsForeign {
  return (label) => {
    if (isTrusted(label)) return false
    const { origins } = label
    if (origins.size === 0) return true
    if (spares === undefined) return true
    for (const origin of origins) if (!isHeldBy(origin, spares)) return true
    return false
  }
}

/** The labels that a member was written with. Who chose it for the list is of no matter to what its text can do. */
export function writtenTree({ label, each, members }: LabelTree, name: string): LabelTree {
  return members?.get(name) ?? each ?? { label }
}

export class ForeignRanges {
  /** Starts and ends in turn, ascending: an offset is foreign if an odd number of edges lies at or before it. */
  readonly #edges: number[] = []

  static of(length: number, { label, spans = [] }: LabelTree, isForeign: IsForeign): ForeignRanges {
    const ranges = new ForeignRanges()
    let at = 0
    const add = (end: number, one: Label): void => {
      const stop = Math.min(end, length)
      if (stop > at && isForeign(one)) ranges.add(at, stop)
      at = Math.max(at, stop)
    }
    for (const span of spans) {
      add(span.start, label)
      add(span.end, span.label)
    }
    add(length, label)
    return ranges
  }

  get isEmpty(): boolean {
    return this.#edges.length === 0
  }

  /** Ranges are added in their order. */
  add(start: number, end: number): void {
    if (this.#edges.at(-1) === start) this.#edges.pop()
    else this.#edges.push(start)
    this.#edges.push(end)
  }

  has(offset: number): boolean {
    return this.#before(offset) % 2 === 1
  }

  /** Whether any of it is foreign. */
  touches(start: number, end: number): boolean {
    return this.has(start) || this.#before(start) !== this.#before(end - 1)
  }

  /** Whether all of it is foreign. */
  covers(start: number, end: number): boolean {
    return this.has(start) && this.#before(start) === this.#before(end - 1)
  }

  /** The pieces of a range, each wholly foreign or not at all. */
  *pieces(start: number, end: number): Iterable<readonly [number, number, boolean]> {
    let at = start
    for (let edge = this.#before(start); at < end; edge += 1) {
      const stop = Math.min(this.#edges[edge] ?? end, end)
      yield [at, stop, edge % 2 === 1]
      at = stop
    }
  }

  /** The number of edges at or before an offset, found by halving. */
  #before(offset: number): number {
    let low = 0
    let high = this.#edges.length
    while (low < high) {
      const middle = (low + high) >> 1
      if ((this.#edges[middle] ?? 0) <= offset) low = middle + 1
      else high = middle
    }
    return low
  }
}
