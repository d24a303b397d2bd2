/**
 * A JSON schema without its prose, for a tool whose definition holds words that look written for a model: types, names
 * and plain allowed values stay, so that the tool can be called; every place that can hold a sentence goes. The server
 * still checks its arguments.
 */
import type { Json, JsonObject } from '../text/json.ts'
import { isObject } from './rpc-message.ts'

const PROSE: ReadonlySet<string> = new Set([
  'description',
  'title',
  '$comment',
  'examples',
  'default',
  'pattern',
  'const',
])
/** Their members are named by the author: a property may be called `description`. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  'patternProperties',
  '$defs',
  'definitions',
  'dependentSchemas',
])
const MOST_DEPTH = 32

export function bareSchema(schema: JsonObject): JsonObject {
  return bare(schema, 0) as JsonObject
}

function bare(schema: Json, depth: number): Json {
  if (depth > MOST_DEPTH) return {}
  if (Array.isArray(schema)) return (schema as readonly Json[]).map((one) => bare(one, depth + 1))
  if (!isObject(schema)) return schema
  const kept = Object.entries(schema).filter(
    ([key, value]) => !PROSE.has(key) && (key !== 'enum' || isPlainChoice(value)),
  )
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      NAMED.has(key) && isObject(value) ? bareMembers(value, depth + 1) : bare(value, depth + 1),
    ]),
  )
}

const WORD = /^[\w.:/-]{1,40}$/

function isPlainChoice(values: Json): boolean {
  return (
    Array.isArray(values) &&
    (values as readonly Json[]).every((one) => typeof one !== 'string' || WORD.test(one))
  )
}

function bareMembers(members: JsonObject, depth: number): JsonObject {
  return Object.fromEntries(
    Object.entries(members).map(([name, schema]) => [name, bare(schema, depth + 1)]),
  )
}
