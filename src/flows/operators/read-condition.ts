/**
 * Reads a condition as people write it: `age > 40`, `state = open and name contains "and"`, `owner.id exists`. JSON is read
 * as JSON. Field and comparison never hold a reference; a value may be one. Pure.
 */
import type { Json } from '../../text/json.ts'
import { type Comparison, COMPARISONS } from './compare.ts'

export const CONDITION_EXAMPLE =
  '"age > 40", "state = open and age > 40", or {"field": "age", "op": "gt", "value": 40}'

export interface ReadCondition {
  readonly field: string
  readonly op: Comparison
  readonly value: Json
}

const MAX_LENGTH = 2000
const SIGNS: ReadonlyMap<string, Comparison> = new Map([
  ['=', 'eq'],
  ['==', 'eq'],
  ['!=', 'ne'],
  ['<', 'lt'],
  ['<=', 'lte'],
  ['>', 'gt'],
  ['>=', 'gte'],
])
const NAMES = COMPARISONS.filter((one) => one !== 'exists').join('|')
const FIELD = String.raw`\s*(?<field>[\w.[\]-]+)`
const OPERATOR = String.raw`(?:\s*(?<sign>[<>!=]=|[<>=])\s*|\s+(?<name>${NAMES})\s+)`
/** As short as it can be: otherwise a value of one character takes the conditions after it for its own text. */
const VALUE = String.raw`(?:"(?<double>[^"]*)"|'(?<single>[^']*)'|(?<plain>[^\s"'](?:.*?\S)??))`
const END = String.raw`\s*(?:\s+and\b|$)`
const COMPARED = new RegExp(FIELD + OPERATOR + VALUE + END, 'sy')
const EXISTS = new RegExp(`${FIELD}\\s+exists${END}`, 'y')

/** Undefined if the text is no condition. */
export function readConditions(text: string): Json | undefined {
  if (text.length > MAX_LENGTH) return undefined
  return /^\s*[[{]/.test(text) ? parsed(text) : (conditionsIn(text) as Json | undefined)
}

function conditionsIn(text: string): readonly ReadCondition[] | undefined {
  const conditions: ReadCondition[] = []
  for (let at = 0; at < text.length; ) {
    const found = matchAt(EXISTS, text, at) ?? matchAt(COMPARED, text, at)
    const condition = found && conditionFrom(found)
    if (!condition) return undefined
    conditions.push(condition)
    at = found.index + found[0].length
  }
  return conditions.length > 0 && !/\band\s*$/.test(text) ? conditions : undefined
}

function matchAt(pattern: RegExp, text: string, at: number): RegExpExecArray | undefined {
  pattern.lastIndex = at
  return pattern.exec(text) ?? undefined
}

function conditionFrom({ groups = {} }: RegExpExecArray): ReadCondition | undefined {
  const { field = '', sign, name } = groups
  if (sign === undefined && name === undefined) return { field, op: 'exists', value: true }
  const op = SIGNS.get(sign ?? '') ?? COMPARISONS.find((one) => one === name)
  return op && { field, op, value: valueIn(groups, op) }
}

function valueIn(
  { double, single, plain = '' }: Readonly<Record<string, string | undefined>>,
  op: Comparison,
): Json {
  const quoted = double ?? single
  if (quoted === undefined) return literalOf(plain)
  return op === 'in' ? (parsed(quoted) ?? quoted) : quoted
}

/** A number, true, false, null or a JSON list; else text. */
function literalOf(text: string): Json {
  return /^(?:-?\d+(?:\.\d+)?|true|false|null|\[.*\])$/s.test(text) ? (parsed(text) ?? text) : text
}

function parsed(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
