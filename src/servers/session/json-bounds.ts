/** Copies a server's JSON within bounds of depth and size, and cleans every text of leased secrets. */
import type { Json, JsonObject } from '../../text/json.ts'
import { copyJson } from '../../text/bounded-json.ts'

export const MAX_DEPTH = 128
/** Of one message. Parsing this many keeps the only thread busy for a tenth of a second; 16 MB of `{}` for four. */
export const MAX_VALUES = 200_000

/** Thrown for a value above a bound; the message completes "its answer …". */
export class OutOfBounds extends Error {
  override readonly name = 'OutOfBounds'
}

/** A copy in which every text and every key is well-formed Unicode and has passed `clean`. Throws `OutOfBounds`. */
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
  const tooDeep = (): never => {
    throw new OutOfBounds(`is nested deeper than ${MAX_DEPTH} levels`)
  }
  return copyJson(value, { maxDepth: MAX_DEPTH, text, tooDeep, count: take })
}

export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
