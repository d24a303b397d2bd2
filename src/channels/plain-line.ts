/**
 * A line that grows and shrinks at its end only. For secrets, of which nothing is drawn, and for terminals that understand
 * no escape sequences. What is typed here is in no history, and cannot be brought back by undo or yank.
 */
import { type Key, isCtrl } from './keyboard.ts'
import type { LineEditor } from './line-editor.ts'

export interface PlainLineOptions {
  readonly isHidden: boolean
  /** Understands no escape sequences. */
  readonly isDumb: boolean
}

/** Asks the terminal to mark where a paste begins and ends. */
const MARK_PASTES = '\u001b[?2004h'
const MARK_NO_PASTES = '\u001b[?2004l'
const RUB_OUT = '\b \b'
/** From here on, characters take two columns; some before do so too, and are rubbed out by half. */
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

  /** What was typed in hiding is dropped: nobody could see how much of it is there. */
  erase(): void {
    if (this.#isHidden) this.#text = ''
    this.#isPasting = false
    this.#output.write(`${this.#marksPastes ? MARK_NO_PASTES : ''}\n`)
  }

  clear(): void {
    this.#change('')
  }

  /**
   * Hidden input takes what belongs to one paste as one line, with its line breaks: whoever copied a secret with too much
   * around it must not see the rest on the screen, nor have it sent as messages. A paste is what the terminal marks as
   * one; without marks, whatever came in the same read, since nobody types on within one read after Enter.
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
    // nothing is drawn that depends on the width
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

/** Where the last character begins, as people count them: an emoji of several parts is one. */
function lastCharacter(line: string): number {
  let at = 0
  for (const { index } of new Intl.Segmenter().segment(line)) at = index
  return at
}

/** One of the two begins with the other. */
function echoOf(before: string, after: string): string {
  if (after.length >= before.length) return after.slice(before.length)
  let rubbedOut = ''
  for (const { segment } of new Intl.Segmenter().segment(before.slice(after.length)))
    rubbedOut += RUB_OUT.repeat(segment < FIRST_WIDE ? 1 : 2)
  return rubbedOut
}
