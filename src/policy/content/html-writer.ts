/** Writes HTML that is partly copied and partly written anew, and keeps track of which parts of it are foreign. */
import { ForeignRanges } from './foreign-ranges.ts'
import type { HtmlAttribute, HtmlTag } from './read-markup.ts'

export class HtmlWriter {
  readonly #source: string
  readonly #foreign: ForeignRanges
  readonly #written = new ForeignRanges()
  readonly #parts: string[] = []
  #length = 0
  #removed = 0

  constructor(source: string, foreign: ForeignRanges) {
    this.#source = source
    this.#foreign = foreign
  }

  copy(start: number, end: number): void {
    for (const [from, to, isForeign] of this.#foreign.pieces(start, end)) {
      this.#put(this.#source.slice(from, to), isForeign)
    }
  }

  /** Copies what is not foreign, and drops the rest. */
  copyOwn(start: number, end: number): void {
    for (const [from, to, isForeign] of this.#foreign.pieces(start, end)) {
      if (isForeign) this.drop()
      else this.#put(this.#source.slice(from, to), false)
    }
  }

  isForeign(start: number, end: number): boolean {
    return this.#foreign.touches(start, end)
  }

  isHalfForeign(start: number, end: number): boolean {
    return this.#foreign.has(start) && !this.#foreign.covers(start, end)
  }

  /** Whether a value of the tag holds another "<". */
  nests(start: number, end: number): boolean {
    const inner = this.#source.indexOf('<', start + 1)
    return inner >= 0 && inner < end
  }

  /** Turns a foreign tag into text. */
  escape(start: number, end: number): void {
    this.#put(escaped(this.#source.slice(start, end)), true)
    this.#removed += 1
  }

  /** Turns the rest of a foreign piece into text: each "<" of it alone would mean another walk to the same end. */
  escapePiece(start: number, mode: 'html' | 'references'): number {
    const [[, end] = [0, this.#source.length]] = this.#foreign.pieces(start, this.#source.length)
    const piece = this.#source.slice(start, end)
    this.#put(mode === 'html' ? escaped(piece) : piece.replaceAll('<', '&lt;'), true)
    this.#removed += 1
    return end
  }

  /** The rest of the text, in which no foreign "<" stays one. */
  escapeRest(start: number, mode: 'html' | 'references'): void {
    for (const [from, to, isForeign] of this.#foreign.pieces(start, this.#source.length)) {
      const piece = this.#source.slice(from, to)
      const safe = isForeign && (mode === 'html' || REFERENCE.test(piece)) ? escaped(piece) : piece
      if (safe !== piece) this.#removed += 1
      this.#put(safe, isForeign)
    }
  }

  drop(): void {
    this.#removed += 1
  }

  /** `isSame`: nothing of the tag was changed but its spelling. */
  tag({ name, isEnd }: HtmlTag, attributes: readonly HtmlAttribute[], isSame: boolean): void {
    if (!isSame) this.#removed += 1
    const rest = isEnd ? [] : attributes
    const spelled = rest.map((one) => ` ${one.name}="${escaped(one.value)}"`).join('')
    this.#put(`<${isEnd ? '/' : ''}${name}${spelled}>`, true)
  }

  end(): { readonly text: string; readonly foreign: ForeignRanges; readonly removed: number } {
    return { text: this.#parts.join(''), foreign: this.#written, removed: this.#removed }
  }

  #put(text: string, isForeign: boolean): void {
    if (text.length === 0) return
    this.#parts.push(text)
    if (isForeign) this.#written.add(this.#length, this.#length + text.length)
    this.#length += text.length
  }
}

/** An attribute that could refer to something, in a tag that never ends. */
const REFERENCE =
  /<[a-z][^<>]{0,2000}\b(?:src|href|srcset|action|background|poster|data|ping|style)\s*=/i

/** Character references stay as they are. */
function escaped(text: string): string {
  return text.replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;')
}
