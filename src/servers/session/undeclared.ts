/**
 * Finds arguments that a tool does not declare. JSON Schema allows them unless `additionalProperties` is false, which
 * most schemas forget; here they are allowed only if a schema says so. Pure; bounded by the size of the arguments.
 */
import type { Json, JsonObject } from '../../text/json.ts'
import { isJsonObject } from './json-bounds.ts'

/** The path of the first undeclared argument, or undefined. */
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

/** Keywords that declare members besides `properties`; a schema with one of them is not judged here. */
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
