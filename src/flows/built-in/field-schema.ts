/**
 * The subset of JSON Schema for extracted fields, small enough that a model's answer can be checked exactly and fast.
 * Bounds on labels rely on this check: it refuses every value that does not match.
 */
import type { Json, JsonObject } from '../../text/json.ts'
import { isObject } from '../language/value-type.ts'

const MAX_DEPTH = 5
const MAX_MEMBERS = 100
const MAX_CHOICES = 1000
const KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'enum',
  'format',
  'items',
  'properties',
  'required',
  'additionalProperties',
  'description',
  'title',
])
const TYPES = ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'] as const
type Type = (typeof TYPES)[number]

/** Why the schema is not supported, as a sentence; undefined if it is. */
export function schemaMisfit(schema: JsonObject): string | undefined {
  const isFlat = schema['type'] === 'object' && isObject(schema['properties'])
  if (!isFlat) return 'The schema should be { "type": "object", "properties": { … } }'
  return oddSchema(schema, 'schema', MAX_DEPTH)
}

function oddSchema(schema: Json, place: string, depth: number): string | undefined {
  if (!isObject(schema)) return `${place} should be an object`
  if (depth === 0) return `${place} is nested too deeply`
  const unknown = Object.keys(schema).find((name) => !KEYWORDS.has(name))
  if (unknown !== undefined) return `${place}.${unknown} is not supported in a schema of fields`
  const own = oddType(schema, place) ?? oddChoices(schema, place)
  return own ?? oddParts(schema, place, depth)
}

function oddType({ type, enum: choices }: JsonObject, place: string): string | undefined {
  if (type === undefined && Array.isArray(choices)) return undefined
  const isKnown = typesOf(type).length > 0
  return isKnown ? undefined : `${place}.type should be one of ${TYPES.join(', ')}`
}

function oddChoices({ enum: choices, format }: JsonObject, place: string): string | undefined {
  if (format !== undefined && (typeof format !== 'string' || !FORMATS.has(format))) {
    return `${place}.format should be date or date-time`
  }
  if (choices === undefined) return undefined
  const isPlain =
    Array.isArray(choices) &&
    choices.length > 0 &&
    choices.length <= MAX_CHOICES &&
    choices.every((one) => typeof one !== 'object')
  return isPlain ? undefined : `${place}.enum should be a list of texts or numbers`
}

function oddParts(
  { items, properties, required }: JsonObject,
  place: string,
  depth: number,
): string | undefined {
  if (items !== undefined) {
    const odd = oddSchema(items, `${place}.items`, depth - 1)
    if (odd !== undefined) return odd
  }
  if (list(required).some((name) => typeof name !== 'string'))
    return `${place}.required should be a list`
  if (properties === undefined) return undefined
  if (!isObject(properties)) return `${place}.properties should be an object`
  const members = Object.entries(properties)
  if (members.length > MAX_MEMBERS)
    return `${place}.properties has more than ${MAX_MEMBERS} members`
  for (const [name, member] of members) {
    const odd = oddSchema(member, `${place}.properties.${name}`, depth - 1)
    if (odd !== undefined) return odd
  }
  return undefined
}

/** The path at which a value does not match the schema; undefined if it matches. The schema must already be checked. */
export function valueMisfit(
  value: Json,
  schema: JsonObject,
  place: string = 'answer',
): string | undefined {
  const { enum: choices, format, type } = schema
  const kinds = typesOf(type)
  if (type !== undefined && !kinds.some((kind) => IS[kind](value))) {
    return `${place} should be ${kinds.join(' or ')}`
  }
  if (Array.isArray(choices) && !choices.includes(value))
    return `${place} is not one of the choices`
  if (typeof value === 'string' && typeof format === 'string') {
    return FORMATS.get(format)?.(value) ? undefined : `${place} is not a ${format}`
  }
  return partMisfit(value, schema, place)
}

function partMisfit(
  value: Json,
  { items, properties, required }: JsonObject,
  place: string,
): string | undefined {
  if (Array.isArray(value) && isObject(items)) {
    return firstOf(value, (one: Json, at) => valueMisfit(one, items, `${place}[${at}]`))
  }
  if (!isObject(value) || !isObject(properties)) return undefined
  const missing = list(required).find((name) => !Object.hasOwn(value, name as string))
  if (missing !== undefined) return `${place}.${missing as string} is missing`
  return firstOf(Object.entries(value), ([name, member]) => {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined
    // An unrequested field has no type, so its content would be unbounded.
    if (!isObject(own)) return `${place} has a field that was not asked for`
    return valueMisfit(member, own, `${place}.${name}`)
  })
}

function firstOf<T>(
  all: readonly T[],
  misfit: (one: T, at: number) => string | undefined,
): string | undefined {
  for (const [at, one] of all.entries()) {
    const found = misfit(one, at)
    if (found !== undefined) return found
  }
  return undefined
}

const IS: Readonly<Record<Type, (value: Json) => boolean>> = {
  string: (value) => typeof value === 'string',
  number: (value) => typeof value === 'number' && Number.isFinite(value),
  integer: (value) => Number.isSafeInteger(value),
  boolean: (value) => typeof value === 'boolean',
  null: (value) => value === null,
  array: (value) => Array.isArray(value),
  object: isObject,
}

const DATE = /^\d{4}-\d{2}-\d{2}$/
const DATE_TIME =
  /^\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?$/
const FORMATS: ReadonlyMap<string, (text: string) => boolean> = new Map([
  ['date', (text) => DATE.test(text) && isDay(text)],
  ['date-time', (text) => DATE_TIME.test(text) && isDay(text.slice(0, 10))],
])

/** Refuses days that do not exist, such as the 30th of February. */
function isDay(text: string): boolean {
  const time = Date.parse(`${text}T00:00:00Z`)
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text)
}

/** Empty if any of the types is unknown. */
function typesOf(type: Json | undefined): readonly Type[] {
  const named = list(type ?? [])
  const known = TYPES.filter((one) => named.includes(one))
  return known.length === named.length ? known : []
}

function list(value: Json | undefined): readonly Json[] {
  if (value === undefined) return []
  return Array.isArray(value) ? (value as readonly Json[]) : [value]
}
