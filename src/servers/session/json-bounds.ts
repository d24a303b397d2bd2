/** What a server's JSON may be: not deeper and not larger than this, and free of what the vault has lent. */
import type { Json, JsonObject } from '../../kernel/json.ts'

const MAX_DEPTH = 128

/** Thrown for a value above a bound; the message completes "its answer …". */
export class OutOfBounds extends Error {
  override readonly name = 'OutOfBounds'
}

/** Never follows a value further down than the bound, so it cannot run out of stack. */
export function isTooDeep(value: unknown, depth: number = MAX_DEPTH): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (depth === 0) return true
  for (const item of Object.values(value)) {
    if (isTooDeep(item, depth - 1)) return true
  }
  return false
}

/** A copy in which every text and every key is whole Unicode and has passed `clean`. Throws `OutOfBounds`. */
export function cleanJson(value: Json, clean: (text: string) => string, maxSize: number): Json {
  let left = maxSize
  const take = (size: number): void => {
    left -= size
    if (left < 0) throw new OutOfBounds(`is larger than ${Math.floor(maxSize / 2 ** 20)} MiB`)
  }
  const text = (raw: string): string => {
    take(raw.length)
    return clean(raw.toWellFormed())
  }
  const copy = (item: Json, depth: number): Json => {
    if (typeof item === 'string') return text(item)
    if (typeof item !== 'object' || item === null) return item
    if (depth === 0) throw new OutOfBounds(`is nested deeper than ${MAX_DEPTH} levels`)
    if (Array.isArray(item)) {
      take(item.length)
      return item.map((member: Json) => copy(member, depth - 1))
    }
    const members: [string, Json][] = []
    for (const key of Object.keys(item)) {
      members.push([text(key), copy((item as JsonObject)[key] as Json, depth - 1)])
    }
    take(members.length)
    return Object.fromEntries(members)
  }
  return copy(value, MAX_DEPTH)
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
