/** Random values for the differential test, the same for the same seed. */
import type { Json, JsonObject } from '../../src/text/json.ts'

/** The kind of value that a step gives. */
export type Shape =
  | 'records'
  | 'record'
  | 'number'
  | 'numbers'
  | 'text'
  | 'texts'
  | 'json'
  | 'any-list'

export function isList(shape: Shape): boolean {
  return ['records', 'numbers', 'texts'].includes(shape)
}

const WORDS = ['ann', 'bo', 'cy', 'dee', '']

/** mulberry32: the same numbers for the same seed. */
export class Dice {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  below(count: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count
  }

  one<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T
  }

  /** In so many of a hundred cases. */
  is(percent: number): boolean {
    return this.below(100) < percent
  }
}

export function valueOfShape(shape: Shape, dice: Dice): Json {
  return MAKERS[shape](dice)
}

const record = (dice: Dice): JsonObject => {
  return { id: dice.below(5), n: dice.below(10), name: dice.one(WORDS) }
}
const many = <T>(dice: Dice, make: (dice: Dice) => T): T[] =>
  Array.from({ length: dice.below(5) }, () => make(dice))
const records = (dice: Dice): Json => many(dice, record)
const texts = (dice: Dice): string[] => many(dice, (one) => one.one(WORDS))

const MAKERS: Readonly<Record<Shape, (dice: Dice) => Json>> = {
  records,
  record,
  number: (dice) => dice.below(10),
  numbers: (dice) => many(dice, (one) => one.below(10)),
  text: (dice) => texts(dice).join('\n'),
  texts,
  json: (dice) => (dice.is(80) ? JSON.stringify(record(dice)) : '{half'),
  'any-list': (dice) => many(dice, records),
}
