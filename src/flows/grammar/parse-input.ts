/**
 * Parses a line that declares an input of the flow:
 *
 *   "input" name ["--type" type] ["--default" value] ["--description" text] ["--optional"] ["--stdin"]
 */
import type { Cursor } from './cursor.ts'
import type { Flag, InputLine } from './flow-text.ts'
import { readFlags } from './parse-flags.ts'
import { Refusal } from './problem.ts'
import { readValue } from './read-value.ts'
import { isBare, isFlag, type Word } from './tokens.ts'
import { typeNamed } from '../../text/type-named.ts'

const NAME = /^(?!stdin$|__)[A-Za-z0-9_-]{1,64}$/
const HINT =
  'Write `input NAME`, then what you know of it: --type integer --default 5 --description "…" --optional --stdin'

/** `input` before a name is no node: a flag or a join after it would be. */
export function isInput(cursor: Cursor): boolean {
  const name = cursor.peek(1)
  return isBare(cursor.peek(), 'input') && name?.kind === 'word' && !isFlag(name)
}

export function readInput(cursor: Cursor): InputLine {
  cursor.take()
  const { text: name, at } = takeName(cursor)
  const flags = readFacts(cursor)
  const type = typeNamed(flags.get('type')?.value)
  const description = flags.get('description')?.value
  return {
    name,
    type,
    at,
    ...defaultOf(flags.get('default'), type),
    ...(description !== undefined && { description }),
    ...(flags.has('optional') && { isOptional: true }),
    ...(flags.has('stdin') && { isPiped: true }),
  }
}

function takeName(cursor: Cursor): Word {
  const word = cursor.take()
  if (word?.kind === 'word' && NAME.test(word.text)) return word
  throw refusal(word?.at ?? cursor.end, 'Cannot use this as the name of an input')
}

/** By key, each at most once. */
function readFacts(cursor: Cursor): ReadonlyMap<string, Flag> {
  const flags = new Map<string, Flag>()
  for (const flag of readFlags(cursor)) {
    const known = flag.value === undefined ? SWITCHES : VALUED
    if (!known.has(flag.key) || flags.has(flag.key)) throw unreadable(flag.at)
    flags.set(flag.key, flag)
  }
  const after = cursor.peek()
  if (after && after.kind !== 'line') throw unreadable(after.at)
  return flags
}

function unreadable(at: number): Refusal {
  return refusal(at, 'Cannot read this about an input')
}

const VALUED: ReadonlySet<string> = new Set(['type', 'default', 'description'])
const SWITCHES: ReadonlySet<string> = new Set(['optional', 'stdin'])

function defaultOf(flag: Flag | undefined, type: string): Pick<InputLine, 'default'> {
  if (flag?.value === undefined) return {}
  const read = readValue(flag.value, type)
  if (read.kind === 'value') return { default: read.value }
  throw refusal(flag.valueAt, `Cannot use this as a default: expected ${read.expected}`)
}

function refusal(at: number, message: string): Refusal {
  return new Refusal({ at, code: 'flows.bad-input', message, hint: HINT })
}
