/**
 * A line drawn and edited by Node's readline: cursor keys, history, lines of several rows. Only for input that may be
 * seen: readline remembers all its input for arrow up, undo and yank.
 */
import { createInterface, type Interface } from 'node:readline'
import { PassThrough, Writable } from 'node:stream'
import type { Key } from './keyboard.ts'
import type { LineEditor } from './line-editor.ts'

const ERASE_FROM_HERE = '\r\u001b[J'

export class DrawnLine implements LineEditor, Disposable {
  readonly #output: NodeJS.WritableStream
  readonly #lines: Interface
  /** The number of rows from the prompt to the cursor. readline moves up by it before it draws. */
  #rows = 0
  #ended: string | undefined

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
    this.#lines.setPrompt(prompt)
    this.#move(this.#rows)
    this.#redraw()
  }

  erase(): void {
    this.#move(-this.#rows)
    this.#output.write(ERASE_FROM_HERE)
  }

  clear(): void {
    this.#lines.write(null, { ctrl: true, name: 'e' })
    this.#lines.write(null, { ctrl: true, name: 'u' })
    this.#rows = this.#cursorRow()
  }

  take(key: Key): string | undefined {
    if (key.text) this.#lines.write(key.text)
    else this.#lines.write(null, key.raw)
    this.#rows = this.#cursorRow()
    const line = this.#ended
    this.#ended = undefined
    return line
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
