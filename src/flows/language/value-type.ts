/** Types of JSON Schema as short text: `string`, `integer|null`, `string[]`, `any`. Pure. */
import type { Json, JsonObject } from '../../text/json.ts'
import { unionOf } from '../../text/type-named.ts'

const MAX_DEPTH = 4

export function typeOfSchema(schema: Json | undefined, depth: number = MAX_DEPTH): string {
  if (!isObject(schema) || depth === 0) return 'any'
  const listed = [schema['type'] ?? []].flat().map(String)
  if (listed.length === 0) return typeOfParts(schema, depth)
  const types = listed.map((type) => (type === 'array' ? arrayOf(schema, depth) : type))
  return unionOf(types)
}

export function typeOfValue(value: Json): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}

/** The type of one item of a list. */
export function itemTypeOf(type: string): string {
  const lists = type.split('|').filter((one) => one.endsWith('[]'))
  return lists.length === 1 ? (lists[0] ?? '').slice(0, -2) : 'any'
}

/** Whether a value of type `from` is also of type `to`: always, perhaps, or never. */
export function fits(from: string, to: string): 'always' | 'perhaps' | 'never' {
  if (from === 'any' || to === 'any') return 'perhaps'
  const wanted = to.split('|')
  const answers = from.split('|').map((one) => fitsOne(one, wanted))
  if (answers.every((answer) => answer === 'always')) return 'always'
  return answers.every((answer) => answer === 'never') ? 'never' : 'perhaps'
}

/**
 * The same for what a step gives: a text may spell the list or object that is wanted as JSON, and is then read as such.
 */
export function canBecome(from: string, to: string): 'always' | 'perhaps' | 'never' {
  const answer = fits(from, to)
  const isText = from.split('|').includes('string')
  const isStructure = to.split('|').some((one) => one === 'object' || isList(one))
  return answer === 'never' && isText && isStructure ? 'perhaps' : answer
}

/** Whether a value is of a type, or is a text that spells the list or object that is wanted as JSON. */
export function isOfType(value: Json, type: string): boolean {
  const types = type.split('|')
  if (types.some((one) => isOf(value, one))) return true
  const wanted = types.filter((one) => one === 'object' || isList(one))
  if (typeof value !== 'string' || wanted.length === 0) return false
  try {
    const spelled = JSON.parse(value) as Json
    return wanted.some((one) => isOf(spelled, one))
  } catch {
    return false
  }
}

function isOf(value: Json, type: string): boolean {
  if (type === 'any') return true
  if (!Array.isArray(value)) return fitsOne(typeOfValue(value), [type]) === 'always'
  if (!type.endsWith('[]')) return type === 'array'
  const item = type.slice(0, -2)
  return value.every((one: Json) => isOf(one, item))
}

/** The schema of a part of a value; undefined if the schema does not say. */
export function schemaAt(
  schema: Json | undefined,
  path: readonly (string | number)[],
): JsonObject | undefined {
  let at: Json | undefined = schema
  for (const step of path) {
    const properties: Json | undefined = isObject(at) ? at['properties'] : undefined
    if (!isObject(at)) return undefined
    if (typeof step === 'number') at = at['items']
    else at = isObject(properties) && Object.hasOwn(properties, step) ? properties[step] : undefined
  }
  return isObject(at) ? at : undefined
}

function fitsOne(from: string, wanted: readonly string[]): 'always' | 'perhaps' | 'never' {
  if (wanted.includes(from)) return 'always'
  if (from === 'integer' && wanted.includes('number')) return 'always'
  if (from === 'number' && wanted.includes('integer')) return 'perhaps'
  return isList(from) ? fitsList(from, wanted.filter(isList)) : 'never'
}

function fitsList(from: string, wanted: readonly string[]): 'always' | 'perhaps' | 'never' {
  if (wanted.length === 0) return 'never'
  if (wanted.includes('array')) return 'always'
  if (from === 'array') return 'perhaps'
  return fits(itemTypeOf(from), unionOf(wanted.map(itemTypeOf)))
}

function isList(type: string): boolean {
  return type === 'array' || type.endsWith('[]')
}

/** For a schema without `type`: the type of its enum, its const or its alternatives. */
function typeOfParts(schema: JsonObject, depth: number): string {
  if (Array.isArray(schema['enum']))
    return unionOf(schema['enum'].map((one: Json) => typeOfValue(one)))
  if (schema['const'] !== undefined) return typeOfValue(schema['const'])
  const parts = schema['anyOf'] ?? schema['oneOf']
  if (!Array.isArray(parts)) return isObject(schema['properties']) ? 'object' : 'any'
  return unionOf(
    parts.slice(0, 20).flatMap((part: Json) => typeOfSchema(part, depth - 1).split('|')),
  )
}

function arrayOf({ items }: JsonObject, depth: number): string {
  const item = typeOfSchema(items, depth - 1)
  return item === 'any' || item.includes('|') ? 'array' : `${item}[]`
}

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
