/**
 * Parses the JSON in an answer that is a single text block. Done only if the catalog or the owner declares that the
 * server itself produces such JSON: then text of third parties stays inside its strings and cannot imitate a field.
 * Pure.
 */
import type { Json } from '../../text/json.ts'
import { cleanJson, isJsonObject } from '../session/json-bounds.ts'

const MAX_SIZE = 10 * 2 ** 20

/** Undefined for any other answer, which then stays unchanged. `clean` sanitises each string again after unescaping. */
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
