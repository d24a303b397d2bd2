/**
 * Writes an answer to a terminal: whole texts, and pieces that go on in the same line. Every character is cleaned, also
 * one whose halves come in two pieces; nothing that is said moves the cursor.
 */
import { styleText } from 'node:util'
import type { ShownText } from '../api/show-turn.ts'
import { printable } from '../text/untrusted-text.ts'
import { wrapLines } from '../text/wrap-lines.ts'

/** Half of a pair of surrogates, or of a CRLF: what it means is known with the next piece. */
const HALF = /[\r\uD800-\uDBFF]$/

export class AnswerWriter {
  readonly #output: NodeJS.WritableStream
  /** The end of the last piece, which the next one completes. */
  #half = ''
  #isMidLine = false

  constructor(output: NodeJS.WritableStream) {
    this.#output = output
  }

  write(shown: ShownText): void {
    if (typeof shown === 'string') this.#line(wrapLines(printable(shown), columnsOf(this.#output)))
    else if (shown.kind === 'piece') this.#piece(shown.text)
    else this.#line(styleText('dim', printable(shown.text), { stream: this.#output }))
  }

  /** Ends the line of the last piece, so that other text can follow. */
  end(): void {
    if (this.#half !== '' && this.#half !== '\r') this.#put(this.#half.toWellFormed())
    this.#half = ''
    if (this.#isMidLine) this.#put('\n')
  }

  #line(text: string): void {
    this.end()
    this.#put(`${text}\n`)
  }

  #piece(text: string): void {
    const all = this.#half + text
    const end = HALF.test(all) ? all.length - 1 : all.length
    this.#half = all.slice(end)
    if (end > 0) this.#put(printable(all.slice(0, end)))
  }

  #put(text: string): void {
    this.#output.write(text)
    this.#isMidLine = !text.endsWith('\n')
  }
}

/** Undefined where the output is no terminal: a program reads whole lines. */
export function columnsOf(output: NodeJS.WritableStream): number | undefined {
  if (!('isTTY' in output) || output.isTTY !== true) return undefined
  return ('columns' in output && Number(output.columns)) || undefined
}
