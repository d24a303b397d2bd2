/** JSON values, and their one canonical spelling (RFC 8785): what is hashed, pinned and compared is this text. */

export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json
}

/** Keys sorted by UTF-16 code units, no white space. Throws on what JSON cannot say (NaN, lone surrogates, cycles). */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value === 'object' && value !== null) return canonicalObject(value as JsonObject)
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new TypeError('JSON has no NaN or Infinity')
  }
  if (typeof value === 'string' && !value.isWellFormed()) {
    throw new TypeError('Text with a lone surrogate has no canonical form')
  }
  const text = JSON.stringify(value) as string | undefined
  if (text === undefined) throw new TypeError(`JSON has no ${typeof value}`)
  return text
}

function canonicalObject(value: JsonObject): string {
  const members = Object.keys(value)
    .sort()
    .map((key) => `${canonicalJson(key)}:${canonicalJson(value[key] as Json)}`)
  return `{${members.join(',')}}`
}
