/**
 * Checks a value against a schema of the plain kind that most tools have, in this process and in time bounded by the
 * value's size. Never for a schema with any other keyword (a pattern, a reference, a choice of schemas).
 */
import type { Json, JsonObject } from '../../text/json.ts'
import { isJsonObject } from './json-bounds.ts'

const MAX_NODES = 2000
const MAX_DEPTH = 16
const MAX_CHOICES = 500

const TYPES: Readonly<Record<string, (value: Json) => boolean>> = {
  null: (value) => value === null,
  boolean: (value) => typeof value === 'boolean',
  number: (value) => typeof value === 'number',
  integer: (value) => Number.isInteger(value),
  string: (value) => typeof value === 'string',
  array: (value) => Array.isArray(value),
  object: isJsonObject,
}

const always = (): boolean => true
/** The keywords of a plain schema, and the form of each. Keywords of the last row are annotations and check nothing. */
const RULES: ReadonlyMap<string, (rule: Json) => boolean> = new Map([
  ['type', isTypes],
  ['properties', isJsonObject],
  ['required', isTexts],
  ['enum', isChoices],
  ...['items', 'additionalProperties'].map((key) => [key, always] as const),
  ...['$schema', 'title', 'description', 'default', 'examples'].map(
    (key) => [key, always] as const,
  ),
])

/** Whether the whole schema is of the plain kind, and small. */
export function isSimpleSchema(schema: Json): boolean {
  let nodes = 0
  const isSimple = (node: Json, depth: number): boolean => {
    nodes += 1
    if (typeof node === 'boolean') return true
    if (!isJsonObject(node) || depth === 0 || nodes > MAX_NODES) return false
    if (!hasPlainRules(node)) return false
    return partsOf(node).every((part) => isSimple(part, depth - 1))
  }
  return isSimple(schema, MAX_DEPTH)
}

function partsOf({ properties, items, additionalProperties }: JsonObject): readonly Json[] {
  const parts = [...Object.values((properties ?? {}) as JsonObject), items, additionalProperties]
  return parts.filter((part) => part !== undefined)
}

function hasPlainRules(node: JsonObject): boolean {
  return Object.entries(node).every(([key, rule]) => RULES.get(key)?.(rule) === true)
}

function isTypes(rule: Json): boolean {
  const names: readonly Json[] = Array.isArray(rule) ? rule : [rule]
  if (names.length > Object.keys(TYPES).length) return false
  return names.every((name) => typeof name === 'string' && Object.hasOwn(TYPES, name))
}

/** Distinct names only, so that checking `required` takes no longer than the object is large. */
function isTexts(rule: Json): boolean {
  if (!Array.isArray(rule) || rule.length > MAX_CHOICES) return false
  return new Set(rule).size === rule.length && rule.every((name) => typeof name === 'string')
}

function isChoices(rule: Json): boolean {
  if (!Array.isArray(rule) || rule.length > MAX_CHOICES) return false
  return rule.every((choice) => typeof choice !== 'object' || choice === null)
}

/** Path and rule that the value violates, or undefined. Only for schemas that `isSimpleSchema` accepts. */
export function checkSimple(schema: Json, value: Json, at: string = '#'): string | undefined {
  if (typeof schema === 'boolean') return schema ? undefined : `${at} (not expected)`
  const { type, enum: choices } = schema as JsonObject
  if (type !== undefined && !hasType(type, value)) return `${at} (type)`
  if (Array.isArray(choices) && !choices.includes(value)) return `${at} (enum)`
  if (Array.isArray(value)) return checkItems(schema as JsonObject, value, at)
  return isJsonObject(value) ? checkMembers(schema as JsonObject, value, at) : undefined
}

function hasType(type: Json, value: Json): boolean {
  const names = (Array.isArray(type) ? type : [type]) as readonly string[]
  return names.some((name) => TYPES[name]?.(value))
}

function checkItems({ items }: JsonObject, value: readonly Json[], at: string): string | undefined {
  if (items === undefined || items === true) return undefined
  for (const [index, item] of value.entries()) {
    const problem = checkSimple(items, item, `${at}/${index}`)
    if (problem) return problem
  }
  return undefined
}

function checkMembers(schema: JsonObject, value: JsonObject, at: string): string | undefined {
  const { properties = {}, required = [], additionalProperties = true } = schema
  for (const name of required as readonly string[]) {
    if (!Object.hasOwn(value, name)) return `${at}/${name} (missing)`
  }
  for (const [key, item] of Object.entries(value)) {
    const known = Object.hasOwn(properties as JsonObject, key)
    const rule = known ? (properties as JsonObject)[key] : additionalProperties
    const problem = checkSimple(rule ?? true, item, `${at}/${key}`)
    if (problem) return problem
  }
  return undefined
}
