/**
 * JSON as people keep it in configuration files: comments (`//`, `#`, slash-star), trailing commas, and the `...` that
 * documentation leaves in lists. A parser of its own, because JSON.parse quotes the text it stumbles over (which may be
 * a token) and does not always say where. Strings and numbers are still read by JSON.parse.
 */
import type { Json } from '../../text/json.ts'

/** Deeper than any configuration, shallower than the stack. */
const MAX_DEPTH = 200

export const SKIPPED: RegExp = /(?:\s+|\/\/[^\n]*|#[^\n]*|\/\*[^]*?\*\/|\.\.\.(?=[\s,\]}#/]))*/y
export const STRING: RegExp =
  // oxlint-disable-next-line no-control-regex -- JSON strings may not hold control characters
  /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y
export const NUMBER: RegExp = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y
export const WORD: RegExp = /true|false|null/y

/** Says where the text stops being JSON and what was expected there; never quotes the text. */
export class JsonMistake extends Error {
  override readonly name = 'JsonMistake'
  readonly line: number
  readonly column: number

  constructor(text: string, offset: number, expected: string) {
    const before = text.slice(0, offset).split('\n')
    super(`expected ${expected}`)
    this.line = before.length
    this.column = (before.at(-1)?.length ?? 0) + 1
  }
}

export function parseLenientJson(text: string): Json {
  const reader = createReader(text)
  const value = readValue(reader, 0)
  if (reader.peek() !== '') throw reader.mistake('nothing more after the end')
  return value
}

interface Reader {
  /** The next character that is not skipped, or an empty text at the end. */
  peek(): string
  /** Consumes the character if it is next. */
  take(character: string): boolean
  /** Consumes and returns the match of a sticky pattern, if any. */
  match(pattern: RegExp): string | undefined
  mistake(expected: string): JsonMistake
}

function createReader(text: string): Reader {
  let offset = text.startsWith('\uFEFF') ? 1 : 0
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = offset
    const found = pattern.exec(text)?.[0]
    offset += found?.length ?? 0
    return found
  }
  const peek = (): string => {
    match(SKIPPED)
    return text.charAt(offset)
  }
  return {
    peek,
    take(character) {
      if (peek() !== character) return false
      offset += 1
      return true
    },
    match,
    mistake: (expected) => new JsonMistake(text, offset, expected),
  }
}

function readValue(reader: Reader, depth: number): Json {
  if (depth > MAX_DEPTH) throw reader.mistake('fewer nested brackets')
  if (reader.take('{')) return readObject(reader, depth)
  if (reader.take('[')) return readList(reader, depth)
  if (reader.peek() === '"') return readString(reader)
  const scalar = reader.match(WORD) ?? reader.match(NUMBER)
  if (scalar === undefined) throw reader.mistake('a value')
  return JSON.parse(scalar) as Json
}

function readObject(reader: Reader, depth: number): Json {
  const members: [string, Json][] = []
  while (!reader.take('}')) {
    const key = readString(reader)
    if (!reader.take(':')) throw reader.mistake('":" after the name')
    members.push([key, readValue(reader, depth + 1)])
    if (!reader.take(',') && reader.peek() !== '}') throw reader.mistake('"," or "}"')
  }
  return Object.fromEntries(members)
}

function readList(reader: Reader, depth: number): Json {
  const items: Json[] = []
  while (!reader.take(']')) {
    items.push(readValue(reader, depth + 1))
    if (!reader.take(',') && reader.peek() !== ']') throw reader.mistake('"," or "]"')
  }
  return items
}

function readString(reader: Reader): string {
  if (reader.peek() !== '"') throw reader.mistake('a name or text in double quotes')
  const quoted = reader.match(STRING)
  if (quoted === undefined) throw reader.mistake('the closing quote of this text')
  return JSON.parse(quoted) as string
}
