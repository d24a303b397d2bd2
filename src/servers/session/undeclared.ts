/**
 * Arguments that a tool does not declare. JSON Schema lets them pass unless a schema says otherwise, which most forget;
 * here they pass only where a schema says so. Pure; bounded by the size of the arguments.
 */
import type { Json, JsonObject } from '../../text/json.ts'
import { isJsonObject } from './json-bounds.ts'

/** Where the first of them is, or undefined. */
export function undeclaredIn(schema: Json, value: Json, at: string = '#'): string | undefined {
  if (!isJsonObject(schema) || typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value)) {
    const { items = true } = schema
    return firstOf(value, (item, index) => undeclaredIn(items, item as Json, `${at}/${index}`))
  }
  const { properties } = schema
  if (!isJsonObject(properties) || isOpen(schema)) return undefined
  return firstOf(Object.entries(value as JsonObject), ([name, member]) => {
    if (!Object.hasOwn(properties, name)) return `${at}/${name} (not declared)`
    return undeclaredIn(properties[name] ?? true, member, `${at}/${name}`)
  })
}

/** What may be in it is said by more than its properties, or it is said that anything may. */
const WIDER = ['patternProperties', '$ref', '$dynamicRef', 'allOf', 'anyOf', 'oneOf', 'if']

function isOpen(schema: JsonObject): boolean {
  const { additionalProperties = false } = schema
  return additionalProperties !== false || WIDER.some((key) => key in schema)
}

function firstOf<T>(
  items: readonly T[],
  find: (item: T, index: number) => string | undefined,
): string | undefined {
  for (const [index, item] of items.entries()) {
    const found = find(item, index)
    if (found) return found
  }
  return undefined
}
