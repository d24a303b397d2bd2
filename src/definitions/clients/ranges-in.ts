/**
 * The ranges of the members in a text of lenient JSON, so that one can be taken out or put in without touching the rest.
 * Takes a text that `parseLenientJson` has taken; never decides what a value means.
 */
import { NUMBER, SKIPPED, STRING, WORD } from '../import/lenient-json.ts'

export interface ValueRange {
  readonly start: number
  readonly end: number
  /** Present for an object. */
  readonly members?: readonly MemberRange[]
}

export interface MemberRange {
  readonly key: string
  readonly start: number
  readonly value: ValueRange
  /** The offset of the comma after it. */
  readonly comma?: number
}

/** Undefined for a text that is not the JSON that was expected. */
export function rangesIn(text: string): ValueRange | undefined {
  const cursor = new Cursor(text)
  return cursor.value()
}

class Cursor {
  readonly #text: string
  #offset: number

  constructor(text: string) {
    this.#text = text
    this.#offset = text.startsWith('\uFEFF') ? 1 : 0
  }

  value(): ValueRange | undefined {
    this.#match(SKIPPED)
    const start = this.#offset
    const first = this.#text.charAt(start)
    if (first === '{') return this.#object(start)
    if (first === '[') return this.#list(start)
    const scalar = this.#match(STRING) ?? this.#match(WORD) ?? this.#match(NUMBER)
    return scalar === undefined ? undefined : { start, end: this.#offset }
  }

  #object(start: number): ValueRange | undefined {
    this.#offset += 1
    const members: MemberRange[] = []
    while (!this.#take('}')) {
      const member = this.#member()
      if (!member) return undefined
      members.push(member)
    }
    return { start, end: this.#offset, members }
  }

  #member(): MemberRange | undefined {
    this.#match(SKIPPED)
    const start = this.#offset
    const quoted = this.#match(STRING)
    if (quoted === undefined || !this.#take(':')) return undefined
    const value = this.value()
    if (!value) return undefined
    const comma = this.#take(',') ? this.#offset - 1 : undefined
    const key = JSON.parse(quoted) as string
    return { key, start, value, ...(comma !== undefined && { comma }) }
  }

  #list(start: number): ValueRange | undefined {
    this.#offset += 1
    while (!this.#take(']')) {
      if (!this.value()) return undefined
      this.#take(',')
    }
    return { start, end: this.#offset }
  }

  #take(character: string): boolean {
    this.#match(SKIPPED)
    if (this.#text.charAt(this.#offset) !== character) return false
    this.#offset += 1
    return true
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#offset
    const found = pattern.exec(this.#text)?.[0]
    this.#offset += found?.length ?? 0
    return found
  }
}
