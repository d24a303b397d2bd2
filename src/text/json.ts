/** JSON values, and their one canonical spelling (RFC 8785): hashes, pins and comparisons use this text. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/**
 * Keys sorted by UTF-16 code units, no white space. Throws on values JSON cannot hold (NaN, lone surrogates, cycles).
 */
export function canonicalJson(value: Json): string {
  if (typeof value === 'string') return canonicalText(value)
  if (typeof value !== 'object' || value === null) return canonicalScalar(value)
  return Array.isArray(value) ? canonicalArray(value) : canonicalObject(value as JsonObject)
}

/** Printable ASCII without quotes and backslashes: needs no escaping, and holds no surrogate. */
const PLAIN = /^[ !#-[\]-~]*$/

function canonicalText(value: string): string {
  if (PLAIN.test(value)) return `"${value}"`
  if (value.isWellFormed()) return JSON.stringify(value)
  throw new TypeError('Text with a lone surrogate has no canonical form')
}

function canonicalScalar(value: null | boolean | number): string {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError('JSON has no NaN or Infinity')
  }
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) throw new TypeError(`JSON has no ${typeof value}`)
  return text
}

// Every tool call is serialised four times or more; these two loops take half the time of `map` and `join`.
function canonicalArray(items: readonly Json[]): string {
  let text = ''
  for (const item of items) text += (text && ',') + canonicalJson(item)
  return `[${text}]`
}

function canonicalObject(value: JsonObject): string {
  let text = ''
  for (const key of sortedKeys(value)) {
    text += `${text && ','}${canonicalText(key)}:${canonicalJson(value[key] as Json)}`
  }
  return `{${text}}`
}

/** Sorted by UTF-16 code units. Most objects are in order already, and checking is cheaper than sorting. */
export function sortedKeys(value: JsonObject): readonly string[] {
  const keys = Object.keys(value)
  for (let at = 1; at < keys.length; at += 1) {
    if ((keys[at - 1] as string) > (keys[at] as string)) return keys.sort()
  }
  return keys
}
