/** Parses quoted pieces and escapes of a flow text. An ambiguous escape is refused. */
import { Refusal } from './problem.ts'

interface Piece {
  readonly text: string
  readonly end: number
}

const UNTIL_QUOTE = /[^"\\]*/y
const CONTROLS: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['t', '\t'],
  ['r', '\r'],
  ['\n', ''],
])

/** From the opening quote at `at` to the matching closing quote. */
export function readQuoted(text: string, at: number): Piece {
  return text.charAt(at) === '"' ? readDouble(text, at) : readSingle(text, at)
}

function readSingle(text: string, at: number): Piece {
  const close = text.indexOf("'", at + 1)
  if (close < 0) throw unclosed(at)
  return { text: text.slice(at + 1, close), end: close + 1 }
}

function readDouble(text: string, at: number): Piece {
  let cooked = ''
  let end = at + 1
  while (text.charAt(end) !== '"') {
    UNTIL_QUOTE.lastIndex = end
    const plain = UNTIL_QUOTE.exec(text)?.[0] ?? ''
    cooked += plain
    end += plain.length
    if (end >= text.length) throw unclosed(at)
    if (text.charAt(end) !== '\\') continue
    const piece = control(text, end) ?? readEscape(text, end)
    cooked += piece.text
    end = piece.end
  }
  return { text: cooked, end: end + 1 }
}

function control(text: string, at: number): Piece | undefined {
  if (text.startsWith('\r\n', at + 1)) return { text: '', end: at + 3 }
  const character = CONTROLS.get(text.charAt(at + 1))
  return character === undefined ? undefined : { text: character, end: at + 2 }
}

/** A backslash makes the next character literal; before a letter, a digit or a `$` it is ambiguous and refused. */
export function readEscape(text: string, at: number): Piece {
  const character = String.fromCodePoint(text.codePointAt(at + 1) ?? 0x5c)
  if (at + 1 >= text.length || /[\p{L}\p{N}$]/u.test(character)) throw badEscape(at, character)
  return { text: character, end: at + 1 + character.length }
}

function badEscape(at: number, character: string): Refusal {
  const hint =
    character === '$'
      ? 'Write "$${" for a plain "${", and "${" for a reference'
      : "Write two backslashes, or put the value in single quotes ('…')"
  return new Refusal({ at, code: 'flows.bad-quote', message: 'Cannot read this backslash', hint })
}

function unclosed(at: number): Refusal {
  return new Refusal({
    at,
    code: 'flows.bad-quote',
    message: 'Cannot find the end of this quote',
    hint: 'Close it with the same sign, or put a backslash before it',
  })
}
