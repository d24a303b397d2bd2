/**
 * A line drawn and edited by Node's readline: cursor keys, history, lines of several rows. Only for input that may be
 * seen: readline remembers all its input for arrow up, undo and yank.
 */
import { createInterface, type Interface } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import { completeCommand } from './chat-help.ts'
import type { Key } from './keyboard.ts'
import type { LineEditor } from './line-editor.ts'

const ERASE_FROM_HERE = '\r\u001b[J'
/** Bracketed paste: asks the terminal to mark the beginning and the end of a paste. */
export const MARK_PASTES = '\u001b[?2004h'
export const MARK_NO_PASTES = '\u001b[?2004l'

export class DrawnLine implements LineEditor, Disposable {
  readonly #output: NodeJS.WritableStream
  readonly #lines: Interface
  /** The number of rows from the prompt to the cursor. readline moves up by it before it draws. */
  #rows = 0
  #ended: string | undefined
  /** The last line that ended, as it was drawn. */
  shown = ''
  /** The text of a paste that has not ended. */
  #pasting: string | undefined
  /** Pastes of several lines, in the order of their places in the line. */
  #blocks: string[] = []

  constructor(output: NodeJS.WritableStream) {
    this.#output = output
    this.#lines = createInterface({
      input: new PassThrough(), // silent: keys are passed on one by one
      output: widthOf(output),
      terminal: true,
    })
    this.#lines.on('line', (line) => {
      this.#ended = line
    })
  }

  get isEmpty(): boolean {
    return this.#lines.line === ''
  }

  draw(prompt: string): void {
    this.#output.write(MARK_PASTES)
    this.#lines.setPrompt(prompt)
    this.#move(this.#rows)
    this.#redraw()
  }

  erase(): void {
    this.#move(-this.#rows)
    this.#output.write(ERASE_FROM_HERE + MARK_NO_PASTES)
  }

  clear(): void {
    this.#lines.write(null, { ctrl: true, name: 'e' })
    this.#lines.write(null, { ctrl: true, name: 'u' })
    this.#rows = this.#cursorRow()
    this.#blocks = []
    this.#pasting = undefined
  }

  /** A paste of several lines is one part of the message, shown by its size: its line breaks end nothing. */
  take(key: Key): string | undefined {
    if (key.name === 'paste-start') this.#pasting = ''
    else if (key.name === 'paste-end') this.#paste()
    else if (this.#pasting !== undefined) this.#pasting += key.name === 'return' ? '\n' : key.text
    else if (key.text) this.#type(key.text)
    else this.#lines.write(null, key.raw)
    this.#rows = this.#cursorRow()
    return this.#end()
  }

  /** Tab after the beginning of a command completes it, as far as only one is meant; elsewhere it is a character. */
  #type(text: string): void {
    const typed = text.endsWith('\t') ? text.slice(0, -1) : text
    if (typed !== '') this.#lines.write(typed)
    if (typed === text) return
    const { line, cursor } = this.#lines
    const found = cursor === line.length ? completeCommand(line) : []
    const [first = '', ...others] = found
    if (found.length === 0) return this.#lines.write(line.startsWith('/') ? '' : '\t')
    if (others.length === 0) return this.#lines.write(`${first.slice(line.length)} `)
    const shared = sharedStart(found).slice(line.length)
    if (shared !== '') return this.#lines.write(shared)
    this.erase()
    this.#output.write(`${found.join('  ')}\n`)
    this.draw(this.#lines.getPrompt())
  }

  #paste(): void {
    const text = (this.#pasting ?? '').replace(/\n+$/, '')
    this.#pasting = undefined
    if (text.includes('\n')) this.#blocks.push(text)
    this.#lines.write(text.includes('\n') ? `${placeOf(text)} ` : text)
  }

  /** The whole message, with its pastes, once the line has ended. */
  #end(): string | undefined {
    const line = this.#ended
    if (line === undefined) return undefined
    const blocks = this.#blocks
    this.#ended = undefined
    this.#blocks = []
    this.shown = line
    this.#output.write(MARK_NO_PASTES)
    return withPastes(line, blocks)
  }

  /** Most terminals wrap the rows anew, so the cursor's row has to be computed for the new width. */
  resize(): void {
    this.#move(this.#rows - this.#cursorRow())
    this.#redraw()
  }

  /** Removes the line from the history, for arrow up. It need not be the newest line. */
  forget(line: string): void {
    if (!('history' in this.#lines) || !Array.isArray(this.#lines.history)) return
    const { history } = this.#lines
    for (let at = history.length - 1; at >= 0; at -= 1)
      if (history[at] === line) history.splice(at, 1)
  }

  [Symbol.dispose](): void {
    this.#lines.close()
  }

  #redraw(): void {
    this.#lines.prompt(true)
    this.#rows = this.#cursorRow()
  }

  #cursorRow(): number {
    return this.#lines.getCursorPos().rows
  }

  #move(rows: number): void {
    // Downwards with line feeds: at the bottom of the screen the escape sequence would not move the cursor.
    this.#output.write(rows < 0 ? `\u001b[${-rows}A` : '\n'.repeat(rows))
  }
}

function sharedStart([first = '', ...others]: readonly string[]): string {
  let end = first.length
  while (!others.every((other) => other.startsWith(first.slice(0, end)))) end -= 1
  return first.slice(0, end)
}

function placeOf(block: string): string {
  return `[pasted ${block.split('\n').length} lines]`
}

/**
 * Pastes as fenced blocks, so that they are told from typed words. JSON alone stays as it is: the settings of another
 * client are pasted so.
 */
function withPastes(line: string, blocks: readonly string[]): string {
  const [first = ''] = blocks
  const isAlone = blocks.length === 1 && line.trim() === placeOf(first)
  if (isAlone && /^\s*[[{]/.test(first)) return first
  let message = line
  for (const block of blocks) {
    const fence = '`'.repeat(Math.max(3, longestRun(block) + 1))
    message = message.replace(placeOf(block), () => `\n${fence}\n${block}\n${fence}\n`)
  }
  return message
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length))
}

/** As wide as the terminal, but without its `resize` event: readline would draw a prompt in the middle of an answer. */
function widthOf(output: NodeJS.WritableStream): Writable {
  const stream = new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      output.write(chunk)
      done()
    },
  })
  return Object.defineProperty(stream, 'columns', {
    get: () => ('columns' in output && Number(output.columns)) || undefined,
  })
}
