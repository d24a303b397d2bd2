/**
 * A tool's definition in lines that a person can read and compare: keys in order, and every line of a long text on its
 * own line behind a bar, so that no text can be mistaken for a part of the definition. Pure.
 */
import { printable } from './untrusted-text.ts'
import { type Json, type JsonObject, sortedKeys } from './json.ts'

export function showDefinition(value: Json): readonly string[] {
  return linesOf(value, '')
}

function linesOf(value: Json, indent: string): readonly string[] {
  if (typeof value === 'string') return textLines(value, indent)
  if (typeof value !== 'object' || value === null) return [`${indent}${String(value)}`]
  const inner = `${indent}  `
  if (Array.isArray(value)) {
    return value.flatMap((item: Json) => under(`${indent}-`, item, inner))
  }
  const object = value as JsonObject
  return sortedKeys(object).flatMap((key) =>
    under(`${indent}${quoted(key)}:`, object[key] ?? null, inner),
  )
}

/** Puts a short value on the same line as its key. */
function under(head: string, value: Json, inner: string): readonly string[] {
  if (isEmpty(value)) return [`${head} ${JSON.stringify(value)}`]
  const lines = linesOf(value, inner)
  const isScalar = typeof value !== 'object' || value === null
  return isScalar && lines.length === 1 ? [`${head} ${lines[0]?.trimStart()}`] : [head, ...lines]
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function textLines(text: string, indent: string): readonly string[] {
  const lines = text.split('\n')
  if (lines.length === 1) return [`${indent}${quoted(text)}`]
  return lines.map((line) => `${indent}| ${quoted(line).slice(1, -1)}`)
}

/** Quotes first: then an escaped character differs from a text that contains that very escape. */
function quoted(text: string): string {
  return printable(JSON.stringify(text))
}
