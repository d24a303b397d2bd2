/**
 * Parses a typed value by the declared type of its key only: text stays text, whatever it looks like. A value that is a
 * single reference stays a reference; the referenced value has its own type.
 */
import type { Json } from '../../text/json.ts'

export type ReadValue =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'mistake'; readonly expected: string }

/** A type name of JSON Schema, several separated by `|`, or a list of one type: `integer[]`. */
export type DeclaredType = string | undefined

const REFERENCE = /^\$\{[^{}]+\}$/
const MAX_DEPTH = 64

/** One entry per use of the flag; `undefined` for a flag without a value. */
export function readFlagValue(
  given: readonly (string | undefined)[],
  type: DeclaredType,
): ReadValue {
  const types = typesOf(type)
  const texts = given.filter((text) => text !== undefined)
  if (texts.length < given.length) {
    const isSwitch = given.length === 1 && (isOpen(types) || types.includes('boolean'))
    return isSwitch ? valueOf(true) : mistake('a value each time it is given')
  }
  const [only] = texts
  if (only !== undefined && texts.length === 1) return readValue(only, type)
  const list = types.find(isList)
  if (list === undefined && !isOpen(types)) return mistake('one value only')
  return readList(texts, itemOf(list))
}

export function readValue(text: string, type: DeclaredType): ReadValue {
  const types = typesOf(type)
  if (isOpen(types) || types.includes('string') || REFERENCE.test(text)) return valueOf(text)
  const value = parseJson(text)
  if (value !== undefined && types.some((one) => fits(value, one, text))) return valueOf(value)
  const list = types.find(isList)
  if (list === undefined || text.trimStart().startsWith('[')) return mistake(wordsFor(types))
  return readList([text], itemOf(list))
}

/** The text of standard input. A single line loses its line feed, like a typed word; longer text stays unchanged. */
export function readStdin(text: string, type: DeclaredType): ReadValue {
  const line = /^[^\n]*(?=\r?\n$)/.exec(text)?.[0]
  return readValue(line ?? text, type)
}

function readList(texts: readonly string[], item: DeclaredType): ReadValue {
  const values: Json[] = []
  for (const text of texts) {
    const read = readValue(text, item)
    if (read.kind === 'mistake') return mistake(`a list in which each value is ${read.expected}`)
    values.push(read.value)
  }
  return valueOf(values)
}

function typesOf(type: DeclaredType): readonly string[] {
  return (type ?? 'any').split('|').map((one) => one.trim())
}

const KNOWN = /^(?:string|integer|number|boolean|object|null|array)(?:\[\])*$/

/** Whether any type is allowed: then text is never parsed as JSON. */
function isOpen(types: readonly string[]): boolean {
  return types.some((type) => !KNOWN.test(type))
}

function isList(type: string): boolean {
  return type === 'array' || type.endsWith('[]')
}

function itemOf(list: string | undefined): DeclaredType {
  return list?.endsWith('[]') ? list.slice(0, -2) : undefined
}

function fits(value: Json, type: string, text: string): boolean {
  if (Array.isArray(value)) return isList(type)
  if (value === null) return type === 'null'
  if (typeof value !== 'number') return typeof value === type
  if (type === 'integer') return Number.isSafeInteger(value)
  // Large integers lose digits as a double, so they are refused.
  return type === 'number' && (Number.isSafeInteger(value) || !/^-?\d+$/.test(text.trim()))
}

function parseJson(text: string): Json | undefined {
  try {
    const value = JSON.parse(text) as Json
    return isSound(value, 0) ? value : undefined
  } catch {
    return undefined
  }
}

/** Bounded depth, finite numbers, well-formed Unicode. */
function isSound(value: Json, depth: number): boolean {
  if (depth > MAX_DEPTH) return false
  if (typeof value === 'string') return value.isWellFormed()
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  return Object.entries(value).every(
    ([key, member]) => key.isWellFormed() && isSound(member, depth + 1),
  )
}

const WORDS: ReadonlyMap<string, string> = new Map([
  ['string', 'a text'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['object', 'a JSON object such as {"key": "value"}'],
  ['array', 'a JSON list such as ["a", "b"]'],
  ['null', 'null'],
])

export function wordsFor(types: readonly string[]): string {
  return types.map((type) => WORDS.get(isList(type) ? 'array' : type) ?? type).join(' or ')
}

function valueOf(value: Json): ReadValue {
  return { kind: 'value', value }
}

function mistake(expected: string): ReadValue {
  return { kind: 'mistake', expected }
}
