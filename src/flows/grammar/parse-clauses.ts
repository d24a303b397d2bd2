/**
 * Parses the clauses of a step, before or after its flags:
 *
 *   "for" name "in" value ["max" number] ["parallel" number] ["continue"]
 *   "when" value [comparison value]
 *   "retry" number ["wait" seconds]
 */
import type { Json } from '../../text/json.ts'
import { type Comparison, COMPARISONS } from '../operators/compare.ts'
import type { Cursor } from './cursor.ts'
import type { Clauses, EachClause, RetryClause, WhenClause } from './flow-text.ts'
import { Refusal } from './problem.ts'
import { readValue } from './read-value.ts'
import { isBare, isFlag, type Word } from './tokens.ts'

const NAME = /^[A-Za-z0-9_-]{1,64}$/
const REFERENCE = /^\$\{[^{}]+\}$/
const SIGNS: ReadonlyMap<string, Comparison> = new Map([
  ['=', 'eq'],
  ['==', 'eq'],
  ['!=', 'ne'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['>', 'gt'],
  ['>=', 'gte'],
])

const READERS: Readonly<Record<string, (cursor: Cursor) => Clauses>> = {
  for: (cursor) => ({ each: readEach(cursor) }),
  when: (cursor) => ({ when: readWhen(cursor) }),
  retry: (cursor) => ({ retry: readRetry(cursor) }),
}

export function readClauses(cursor: Cursor, before: Clauses = {}): Clauses {
  let clauses = before
  for (let word = keywordAt(cursor); word; word = keywordAt(cursor)) {
    cursor.skipLine()
    cursor.take()
    const found = READERS[word.text]?.(cursor) ?? {}
    const [name = ''] = Object.keys(found)
    if (Object.hasOwn(clauses, name)) {
      throw refusal(word.at, 'Cannot read a second clause of this kind', 'Write it once in a step')
    }
    clauses = { ...clauses, ...found }
  }
  return clauses
}

function keywordAt(cursor: Cursor): Word | undefined {
  const word = cursor.peekPastLine()
  const isKeyword = Object.keys(READERS).some((keyword) => isBare(word, keyword))
  return isKeyword && word?.kind === 'word' ? word : undefined
}

function readEach(cursor: Cursor): EachClause {
  const hint =
    'Write `for NAME in ${step.result}`, or a JSON list in quotes: `for NAME in \'["a", "b"]\'`'
  const as = takeMatching(cursor, NAME, hint)
  if (!isBare(cursor.peek(), 'in')) throw refusal(placeAt(cursor), 'Cannot read this "for"', hint)
  cursor.take()
  const items = takeValue(cursor, hint)
  const read = readValue(items.text, 'array')
  const isList = REFERENCE.test(items.text) || (read.kind === 'value' && /^\s*\[/.test(items.text))
  if (read.kind === 'mistake' || !isList) throw refusal(items.at, 'Cannot read this list', hint)
  const max = readNumber(cursor, 'max', 1000)
  const parallel = readNumber(cursor, 'parallel', 100)
  const goesOn = isBare(cursor.peek(), 'continue')
  if (goesOn) cursor.take()
  return {
    as,
    items: read.value,
    ...(max !== undefined && { max }),
    ...(parallel !== undefined && { parallel }),
    ...(goesOn && { goesOn }),
  }
}

function readWhen(cursor: Cursor): WhenClause {
  const hint =
    'Write `when ${step.key}`, or `when ${step.key} > 40`; also =, !=, >=, <, <=, contains, exists'
  const left = takeValue(cursor, hint).text
  const op = comparisonAt(cursor)
  if (op === undefined) return { left }
  cursor.take()
  if (op === 'exists') return { left, op, right: true }
  const right = takeValue(cursor, hint)
  const list = op === 'in' ? readValue(right.text, 'array') : undefined
  return { left, op, right: list?.kind === 'value' ? list.value : literalOf(right) }
}

function comparisonAt(cursor: Cursor): Comparison | undefined {
  const word = cursor.peek()
  if (word?.kind !== 'word') return undefined
  const named = word.text.replaceAll('-', '_')
  return SIGNS.get(word.text) ?? COMPARISONS.find((one) => one === named)
}

/** A number, true, false or null where it is not quoted, else text. */
function literalOf({ text, bare }: Word): Json {
  const isPlain = bare === text.length && /^(?:-?\d+(?:\.\d+)?|true|false|null)$/.test(text)
  return isPlain ? (JSON.parse(text) as Json) : text
}

function readRetry(cursor: Cursor): RetryClause {
  const hint = 'Write `retry 3`, or `retry 3 wait 5`: at most 10 times, after 5 seconds or more'
  const times = Number(takeMatching(cursor, /^(?:[0-9]|10)$/, hint))
  if (!isBare(cursor.peek(), 'wait')) return { times }
  cursor.take()
  return {
    times,
    wait: Number(takeMatching(cursor, /^(?:[0-9]{1,3}|[12][0-9]{3}|3[0-5]\d\d|3600)$/, hint)),
  }
}

function readNumber(cursor: Cursor, keyword: string, most: number): number | undefined {
  if (!isBare(cursor.peek(), keyword)) return undefined
  cursor.take()
  const at = placeAt(cursor)
  const hint = `Write a number from 1 to ${most} after "${keyword}"`
  const number = Number(takeMatching(cursor, /^[1-9]\d{0,3}$/, hint))
  if (number > most) throw refusal(at, 'Cannot read this number', hint)
  return number
}

function takeValue(cursor: Cursor, hint: string): Word {
  const at = placeAt(cursor)
  const word = cursor.take()
  if (word?.kind === 'word' && !isFlag(word)) return word
  throw refusal(at, 'Cannot find a value here', hint)
}

function takeMatching(cursor: Cursor, pattern: RegExp, hint: string): string {
  const at = placeAt(cursor)
  const word = cursor.take()
  if (word?.kind === 'word' && pattern.test(word.text)) return word.text
  throw refusal(at, 'Cannot read this clause', hint)
}

function placeAt(cursor: Cursor): number {
  return cursor.peek()?.at ?? cursor.end
}

function refusal(at: number, message: string, hint: string): Refusal {
  return new Refusal({ at, code: 'flows.bad-clause', message, hint })
}
