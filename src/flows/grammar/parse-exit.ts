/** Parses the exit of a step, an edge taken on one action only: `- "rate_limited" max 3`, before a join. */
import type { Cursor } from './cursor.ts'
import type { Exit } from './flow-text.ts'
import { Refusal } from './problem.ts'
import { isBare } from './tokens.ts'

const ACTION = /^[A-Za-z0-9_-]{1,64}$/
const BOUND = /^(?:[1-9]\d?|100)$/

/** Distinguishes `- "action" >>` from a lone `-`, which is an ordinary value. */
export function isExit(cursor: Cursor): boolean {
  if (!isBare(cursor.peek(), '-') || cursor.peek(1)?.kind !== 'word') return false
  const after = isBare(cursor.peek(2), 'max') && cursor.peek(3)?.kind === 'word' ? 4 : 2
  const join = cursor.peek(cursor.peek(after)?.kind === 'line' ? after + 1 : after)
  return join?.kind === 'join'
}

export function readExit(cursor: Cursor): Exit | undefined {
  const dash = cursor.peekPastLine()
  if (!dash || !isBare(dash, '-')) return undefined
  cursor.skipLine()
  if (!isExit(cursor)) {
    throw refusal(
      dash.at,
      'Cannot read this dash',
      'Write - "ACTION" >> NODE to go on with one action only',
    )
  }
  cursor.take()
  const action = takeMatching(
    cursor,
    ACTION,
    'Name one action, such as "rate_limited" or "timeout"',
  )
  if (!isBare(cursor.peek(), 'max')) return { action }
  cursor.take()
  const max = takeMatching(cursor, BOUND, 'Write a number from 1 to 100 after "max"')
  return { action, max: Number(max) }
}

function takeMatching(cursor: Cursor, pattern: RegExp, hint: string): string {
  const word = cursor.take()
  if (word?.kind === 'word' && pattern.test(word.text)) return word.text
  throw refusal(word?.at ?? cursor.end, 'Cannot read the action of this step', hint)
}

function refusal(at: number, message: string, hint: string): Refusal {
  return new Refusal({ at, code: 'flows.bad-action', message, hint })
}
