/** The result of a tool as text for people: text blocks as they are, any other value as JSON. */
import type { Json } from './json.ts'

export function showValue(value: Json): string {
  const blocks = Array.isArray(value) ? value.map(textOf) : [undefined]
  const isText = blocks.length > 0 && blocks.every((text) => text !== undefined)
  return isText ? blocks.join('\n') : JSON.stringify(value, null, 2)
}

function textOf(block: unknown): string | undefined {
  if (typeof block !== 'object' || block === null || !('text' in block)) return undefined
  return typeof block.text === 'string' ? block.text : undefined
}
