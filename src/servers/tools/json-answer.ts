/**
 * The JSON in an answer that is nothing but one text. It is read only where the catalog or the owner says that this
 * server writes such texts itself: then all that others wrote is inside strings of it, and cannot pass for a field. Pure.
 */
import type { Json } from '../../kernel/json.ts'
import { cleanJson, isJsonObject } from '../session/json-bounds.ts'

const MAX_SIZE = 10 * 2 ** 20

/** Undefined where it is anything else: then the answer stays as it came. `clean` sees each text anew, now unescaped. */
export function jsonIn(content: Json, clean: (text: string) => string): Json | undefined {
  const blocks: readonly Json[] = Array.isArray(content) ? content : []
  const [block] = blocks
  if (blocks.length !== 1 || !isJsonObject(block)) return undefined
  const { type, text } = block
  if (type !== 'text' || typeof text !== 'string') return undefined
  try {
    const value = cleanJson(JSON.parse(text) as Json, clean, MAX_SIZE)
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
