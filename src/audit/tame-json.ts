/** A copy of a foreign value that always has a canonical form: bounded in depth, well-formed text, finite numbers. */
import type { Json } from '../text/json.ts'
import { copyJson } from '../text/bounded-json.ts'

const MAX_DEPTH = 32

/** Every string and every key passes through `text`. */
export function tameJson(value: Json, text: (raw: string) => string): Json {
  return copyJson(value, { maxDepth: MAX_DEPTH, text, tooDeep: () => '…' })
}
