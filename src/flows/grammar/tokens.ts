/**
 * The tokenizer of a flow text, in one pass.
 *
 * Quotes: '…' is literal; "…" knows \n \t \r \" \\. Outside quotes a backslash makes the next character literal, and at
 * the end of a line joins it with the next. `#` at the start of a word begins a comment. Text that a shell or an editor
 * would read differently is refused, never guessed.
 */
import { Refusal } from './problem.ts'
import { readEscape, readQuoted } from './quotes.ts'

export type Token =
  | Word
  | { readonly kind: 'join' | 'line'; readonly at: number; readonly end: number }

export interface Word {
  readonly kind: 'word'
  readonly text: string
  readonly at: number
  readonly end: number
  /** The number of leading characters that are neither quoted nor escaped. */
  readonly bare: number
}

/** White space within a line, including a backslash at its end. */
const BLANK = /(?:[^\S\n]|\\\r?\n)+/y
const LINE_END = /\n\s*/y
const COMMENT = /#[^\n]*/y
const PLAIN = /(?:[^\s'"\\>|]|>(?!>)|\|(?!>))+/y
const JOIN = />>|\|>/y

export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const skipped = endOf(BLANK, text, at) ?? endOfComment(text, at, tokens.at(-1))
    if (skipped !== undefined) {
      at = skipped
      continue
    }
    const mayCompare = isBare(tokens.at(-2), 'when')
    const token = readLineEnd(text, at) ?? readJoin(text, at) ?? readWord(text, at, mayCompare)
    if (token.kind !== 'line' || tokens.at(-1)?.kind !== 'line') tokens.push(token)
    at = token.end
  }
  return tokens
}

/** Whether a token is exactly this word, unquoted. */
export function isBare(token: Token | undefined, text: string): boolean {
  return token?.kind === 'word' && token.text === text && token.bare === text.length
}

/** Whether a token is a flag; a quoted one is a value. */
export function isFlag(token: Token | undefined): boolean {
  return token?.kind === 'word' && token.bare >= 2 && token.text.startsWith('--')
}

function endOf(pattern: RegExp, text: string, at: number): number | undefined {
  pattern.lastIndex = at
  return pattern.test(text) ? pattern.lastIndex : undefined
}

/** `--channel #general` is a value to its author and a comment to a shell, so it is refused. */
function endOfComment(text: string, at: number, before: Token | undefined): number | undefined {
  const end = endOf(COMMENT, text, at)
  const couldBeValue = isFlag(before) && !text.slice(before?.at, before?.end).includes('=')
  if (end === undefined || !couldBeValue || !/\S/.test(text.charAt(at + 1))) return end
  throw new Refusal({
    at,
    code: 'flows.ambiguous-comment',
    message: 'Cannot tell whether this is the value of the flag or a comment',
    hint: 'Quote a value that starts with "#", or put a space after the "#" of a comment',
  })
}

function readLineEnd(text: string, at: number): Token | undefined {
  const end = endOf(LINE_END, text, at)
  return end === undefined ? undefined : { kind: 'line', at, end }
}

function readJoin(text: string, at: number): Token | undefined {
  const end = endOf(JOIN, text, at)
  return end === undefined ? undefined : { kind: 'join', at, end }
}

/** `mayCompare`: after `when VALUE`, `<` and `>` are comparisons. */
function readWord(text: string, at: number, mayCompare: boolean): Token {
  let end = at
  let cooked = ''
  let bare: number | undefined
  while (end < text.length && !isWordEnd(text, end)) {
    const plain = endOf(PLAIN, text, end)
    if (plain === undefined) bare ??= cooked.length
    const piece =
      plain === undefined ? readMarked(text, end) : { text: text.slice(end, plain), end: plain }
    cooked += piece.text
    end = piece.end
  }
  const word: Word = { kind: 'word', text: cooked, at, end, bare: bare ?? cooked.length }
  if (isBare(word, 'then')) return { kind: 'join', at, end }
  return mayCompare && /^[<>]$/.test(word.text) ? word : checkWord(word)
}

function isWordEnd(text: string, at: number): boolean {
  return (
    /\s/.test(text.charAt(at)) || [BLANK, JOIN].some((end) => endOf(end, text, at) !== undefined)
  )
}

function readMarked(text: string, at: number): { readonly text: string; readonly end: number } {
  return text.charAt(at) === '\\' ? readEscape(text, at) : readQuoted(text, at)
}

const SHELL_SIGN = /^(?:[|&;<>]+|[-=]>|→|⇒)$/
const CURLY = /^(?:--[^=]*=)?[“”„‘’‚«»]/
const LONG_DASH = /^[–—−]/

/** Refuses signs with a meaning in a shell, and typographic quotes and dashes that editors insert. */
function checkWord(word: Word): Word {
  const plain = word.text.slice(0, word.bare)
  if (word.bare === word.text.length && SHELL_SIGN.test(plain)) throw shellSign(word.at)
  if (CURLY.test(plain)) {
    throw notPlain(word.at, 'a curly quote', `Use straight quotes (' or "), or put them around it`)
  }
  if (LONG_DASH.test(plain)) {
    throw notPlain(
      word.at,
      'a long dash',
      'Write "--" before the name of a flag, or quote the word',
    )
  }
  return word
}

function shellSign(at: number): Refusal {
  return new Refusal({
    at,
    code: 'flows.shell-sign',
    message: 'Cannot read this sign of a shell: a flow has no pipes, redirections or lists',
    hint: 'Join nodes with ">>", write a file with ">> write-file --path FILE", and quote a value',
  })
}

function notPlain(at: number, what: string, hint: string): Refusal {
  return new Refusal({ at, code: 'flows.bad-character', message: `Cannot read ${what}`, hint })
}
