/** A copy of a foreign value that always has a canonical form: bounded in depth, well-formed text, finite numbers. */
import type { Json, JsonObject } from '../kernel/json.ts'

const MAX_DEPTH = 32

/** Every string and every key passes through `text`. */
export function tameJson(value: Json, text: (raw: string) => string, depth = 0): Json {
  if (typeof value === 'string') return text(value)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'object' || value === null) return value ?? null
  if (depth === MAX_DEPTH) return '…'
  if (Array.isArray(value)) return value.map((item: Json) => tameJson(item, text, depth + 1))
  return tameObject(value as JsonObject, text, depth)
}

function tameObject(value: JsonObject, text: (raw: string) => string, depth: number): JsonObject {
  const members: [string, Json][] = []
  for (const key of Object.keys(value)) {
    const item = value[key]
    if (item !== undefined) members.push([text(key), tameJson(item, text, depth + 1)])
  }
  return Object.fromEntries(members)
}
