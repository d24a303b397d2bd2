/**
 * The keys of a terminal in raw mode, in the order they were typed. The terminal echoes nothing by itself, so only text
 * that an editor draws is visible. Knows no lines and no prompts.
 */
import { emitKeypressEvents, type Key as RawKey } from 'node:readline'

export interface TerminalInput extends NodeJS.ReadableStream {
  readonly isTTY?: boolean
  setRawMode?(isRaw: boolean): unknown
}

export interface Key {
  /** The characters typed in a row; empty for every other key. */
  readonly text: string
  /** The name of every other key: `return`, `backspace`, `paste-start`, `c` together with `ctrl`. */
  readonly name: string
  readonly ctrl: boolean
  /** The key event as readline takes it. */
  readonly raw: RawKey
}

export interface KeyListener {
  /** All keys of one read of the terminal: a key press, or a whole paste or a part of one. */
  keys(keys: readonly Key[]): void
  /** The terminal was closed. */
  ended(): void
  /** The program continues after `suspend`. */
  resumed(): void
}

export interface Keyboard extends Disposable {
  /** Stops the program as Ctrl-Z does elsewhere; the shell has the terminal until the person types `fg`. */
  suspend(): void
}

/** Long enough for the SIGTSTP to arrive first. While the program is stopped the timer does not fire. */
const RESUME_MS = 50

export function openKeyboard(input: TerminalInput, listener: KeyListener): Keyboard {
  let batch: Key[] = []
  let isOpen = true
  const deliver = (): void => {
    const keys = batch
    batch = []
    if (isOpen) listener.keys(keys)
  }
  const collect = (typed: string | undefined, raw: RawKey): void => {
    // The keys of one read are emitted synchronously, so a microtask runs after the last of them.
    if (batch.length === 0) queueMicrotask(deliver)
    addKey(batch, typed ?? '', raw)
  }
  const end = (): void => listener.ended()
  const resume = (): void => {
    if (!isOpen) return
    input.setRawMode?.(true)
    listener.resumed()
  }
  emitKeypressEvents(input)
  input.on('keypress', collect).on('end', end).on('error', end)
  input.setRawMode?.(true)
  input.resume()
  return {
    suspend() {
      input.setRawMode?.(false)
      setTimeout(resume, RESUME_MS)
      // Signals the whole process group, as the terminal would: a launcher that waits for this process must stop too.
      process.kill(0, 'SIGTSTP')
    },
    [Symbol.dispose]() {
      isOpen = false
      input.off('keypress', collect).off('end', end).off('error', end)
      input.setRawMode?.(false)
      input.pause()
    },
  }
}

export function isCtrl({ ctrl, name }: Key, letter: string): boolean {
  return ctrl && name === letter
}

const LINE_ENDS: ReadonlySet<string> = new Set(['\r', '\n', '\u2028', '\u2029'])
const CHARACTERS = /^(?:\t|\P{Cc})+$/u

function addKey(batch: Key[], typed: string, raw: RawKey): void {
  const last = batch.at(-1)
  if (!isText(typed, raw)) {
    const name = LINE_ENDS.has(typed) ? 'return' : raw.name
    if (name !== undefined && !isSecondHalf(typed, last)) batch.push(keyOf('', name, raw))
  } else if (last?.text) {
    batch[batch.length - 1] = keyOf(last.text + typed, '', raw)
  } else {
    batch.push(keyOf(typed, '', raw))
  }
}

/** The second character of a CRLF line end. */
function isSecondHalf(typed: string, last: Key | undefined): boolean {
  return typed === '\n' && last?.raw.sequence === '\r'
}

function isText(typed: string, { ctrl }: RawKey): boolean {
  return !ctrl && !LINE_ENDS.has(typed) && CHARACTERS.test(typed)
}

function keyOf(text: string, name: string, raw: RawKey): Key {
  return { text, name, ctrl: raw.ctrl === true, raw }
}
