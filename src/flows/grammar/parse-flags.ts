/** Parses the flags of a step: `--key`, `--key=value`, `--key value`. Does not interpret the values. */
import type { Cursor } from './cursor.ts'
import type { Flag } from './flow-text.ts'
import { isExit } from './parse-exit.ts'
import { Refusal } from './problem.ts'
import { isFlag, type Word } from './tokens.ts'

const KEY = /^[\p{L}\p{N}_$@][\p{L}\p{N}_$@.:/[\]-]*$/u
const LONGEST = 200
const NEGATIVE_NUMBER = /^-\.?\d/

export function readFlags(cursor: Cursor): readonly Flag[] {
  const flags: Flag[] = []
  for (;;) {
    const word = cursor.peekPastLine()
    if (word?.kind !== 'word' || !isFlag(word)) break
    cursor.skipLine()
    cursor.take()
    flags.push(readFlag(word, cursor))
  }
  refuseShortFlag(cursor, flags)
  return flags
}

function readFlag(word: Word, cursor: Cursor): Flag {
  const equals = word.text.slice(0, word.bare).indexOf('=')
  const keyEnd = equals < 0 ? word.text.length : equals
  const key = word.text.slice(2, keyEnd)
  if (keyEnd > word.bare || key.length > LONGEST || !KEY.test(key)) throw badFlag(word.at)
  if (equals >= 0) {
    return { key, value: word.text.slice(equals + 1), at: word.at, valueAt: word.at + equals + 1 }
  }
  const value = takeValue(cursor)
  return { key, ...(value && { value: value.text }), at: word.at, valueAt: (value ?? word).at }
}

/** The next word, unless it is a flag or begins an exit. */
function takeValue(cursor: Cursor): Word | undefined {
  const word = cursor.peek()
  if (word?.kind !== 'word' || isFlag(word) || isExit(cursor) || isShortFlag(word)) return undefined
  cursor.take()
  return word
}

/** `-x`, but not `-` alone, a negative number or a quoted word. */
function isShortFlag(word: Word): boolean {
  return word.bare > 0 && /^-./.test(word.text) && !NEGATIVE_NUMBER.test(word.text)
}

function refuseShortFlag(cursor: Cursor, flags: readonly Flag[]): void {
  const word = cursor.peekPastLine()
  if (word?.kind !== 'word' || !isShortFlag(word)) return
  const last = flags.at(-1)
  const other = last && last.value === undefined ? `, or --${last.key}=VALUE for this value` : ''
  throw new Refusal({
    at: word.at,
    code: 'flows.bad-flag',
    message: 'Cannot read a flag with one dash',
    hint: `Write two dashes before the name of a flag${other}`,
  })
}

function badFlag(at: number): Refusal {
  return new Refusal({
    at,
    code: 'flows.bad-flag',
    message: 'Cannot read this flag',
    hint: 'Write --key, --key=value or --key value; quotes belong around the value only',
  })
}
