/**
 * Arguments that a server wants repeated as headers (`x-mcp-header`). A tool that asks for a header in a way that the
 * protocol does not allow is left out of the list. Pure.
 */
import type { Json, JsonObject } from '../../text/json.ts'
import { isJsonObject } from './json-bounds.ts'

const KEY = 'x-mcp-header'
/** RFC 9110, section 5.1. */
const TOKEN = /^[!#$%&'*+\-.^_`|~0-9A-Za-z]{1,64}$/
const TYPES = new Set<Json | undefined>(['string', 'integer', 'boolean'])

/** Whether every header has a valid name, belongs to a top-level argument, and is asked for once. */
export function hasPlainHeaders(schema: Json | undefined): boolean {
  const own = isJsonObject(schema) && isJsonObject(schema['properties']) ? schema['properties'] : {}
  const names = new Set<string>()
  const args = Object.values(own).filter(
    (arg): arg is JsonObject => isJsonObject(arg) && KEY in arg,
  )
  for (const arg of args) {
    const name = arg[KEY]
    if (typeof name !== 'string' || !TOKEN.test(name) || !TYPES.has(arg['type'])) return false
    names.add(name.toLowerCase())
  }
  return names.size === args.length && countIn(schema ?? null) === args.length
}

function countIn(value: Json): number {
  if (typeof value !== 'object' || value === null) return 0
  const isAsking = !Array.isArray(value) && KEY in value
  const inside = Object.values(value as JsonObject).reduce<number>(
    (sum, one) => sum + countIn(one),
    0,
  )
  return inside + (isAsking ? 1 : 0)
}
