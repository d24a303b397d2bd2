/**
 * A line that is edited at its end only. For secrets, of which nothing is drawn, and for terminals without escape
 * sequences. The typed text is in no history, and cannot be brought back by undo or yank.
 */
import { MARK_NO_PASTES, MARK_PASTES } from './drawn-line.ts'
import { type Key, isCtrl } from './keyboard.ts'
import type { LineEditor } from './line-editor.ts'

export interface PlainLineOptions {
  readonly isHidden: boolean
  /** The terminal understands no escape sequences. */
  readonly isDumb: boolean
}

const RUB_OUT = '\b \b'
/** Characters from here on count as two columns wide; a wide character before it is only half erased. */
const FIRST_WIDE = '\u1100'

export class PlainLine implements LineEditor {
  readonly #output: NodeJS.WritableStream
  readonly #isHidden: boolean
  readonly #marksPastes: boolean
  #text = ''
  #isPasting = false

  constructor(output: NodeJS.WritableStream, { isHidden, isDumb }: PlainLineOptions) {
    this.#output = output
    this.#isHidden = isHidden
    this.#marksPastes = isHidden && !isDumb
  }

  get isEmpty(): boolean {
    return this.#text === ''
  }

  draw(prompt: string): void {
    const marks = this.#marksPastes ? MARK_PASTES : ''
    this.#output.write(`${marks}${prompt}${this.#isHidden ? '' : this.#text}`)
  }

  /** Drops hidden text: the person could not see how much of it is still there. */
  erase(): void {
    if (this.#isHidden) this.#text = ''
    this.#isPasting = false
    this.#output.write(`${this.#marksPastes ? MARK_NO_PASTES : ''}\n`)
  }

  clear(): void {
    this.#change('')
  }

  /**
   * Hidden input takes a whole paste as one line, with its line breaks: the rest of a secret that was copied with too
   * much around it must neither appear on the screen nor be sent as messages. A paste is what the terminal marks as
   * one; without marks, all keys of one read, since no person types on within one read after Enter.
   */
  take(key: Key, isFollowed: boolean): string | undefined {
    if (key.name === 'paste-start') this.#isPasting = true
    else if (key.name === 'paste-end') this.#isPasting = false
    else if (key.name !== 'return') this.#change(edited(this.#text, key))
    else if (this.#isHidden && (this.#isPasting || isFollowed)) this.#text += '\n'
    else return this.#end()
    return undefined
  }

  resize(): void {
    // nothing drawn depends on the width
  }

  #end(): string {
    const line = this.#isHidden ? this.#text.replace(/\n+$/, '') : this.#text
    this.#text = ''
    this.erase()
    return line
  }

  #change(text: string): void {
    if (!this.#isHidden) this.#output.write(echoOf(this.#text, text))
    this.#text = text
  }
}

function edited(line: string, key: Key): string {
  if (key.name === 'backspace') return line.slice(0, lastCharacter(line))
  if (isCtrl(key, 'u')) return ''
  if (isCtrl(key, 'w')) return line.replace(/\S*\s*$/, '')
  return line + key.text
}

/** The index of the last grapheme cluster: an emoji of several code points is one character. */
function lastCharacter(line: string): number {
  let at = 0
  for (const { index } of new Intl.Segmenter().segment(line)) at = index
  return at
}

/** The characters that turn `before` into `after` on the screen; one of the two texts begins with the other. */
function echoOf(before: string, after: string): string {
  if (after.length >= before.length) return after.slice(before.length)
  let rubbedOut = ''
  for (const { segment } of new Intl.Segmenter().segment(before.slice(after.length)))
    rubbedOut += RUB_OUT.repeat(segment < FIRST_WIDE ? 1 : 2)
  return rubbedOut
}
