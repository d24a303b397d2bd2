/** Parses a server's result into an answer: bounded in size and depth, secrets redacted. Its labels come later. */
import { isDeepStrictEqual } from 'node:util'
import { callFailed, type FailedCall } from '../../kernel/call-failure.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { cleanJson, isJsonObject, OutOfBounds } from './json-bounds.ts'
import { cleanText, type Redact } from './clean-text.ts'

const MAX_RESULT = 10 * 2 ** 20
const MAX_META = 2 ** 20

export type ToolAnswer =
  | {
      readonly kind: 'ok'
      readonly value: Json
      /** Whether the value is the structured content, which a schema may describe. */
      readonly structured: boolean
      /** Blocks beside the structured content that say something else: a picture, a caption. */
      readonly beside?: Json
      /** Data for programs, beside what a model reads. */
      readonly meta?: Json
    }
  | FailedCall

export function readAnswer(raw: Json, redact: Redact): ToolAnswer {
  if (!isJsonObject(raw)) return unreadable('The server returned no result')
  try {
    if (raw['isError'] === true) return inOwnWords(cleanText(errorText(raw), redact))
    const { structuredContent, content = [], _meta } = raw
    const meta = isJsonObject(_meta) && { meta: cleanJson(_meta, redact, MAX_META) }
    if (structuredContent === undefined) {
      const value = cleanJson(content, redact, MAX_RESULT)
      return { kind: 'ok', value, structured: false, ...meta }
    }
    const value = cleanJson(structuredContent, redact, MAX_RESULT)
    const others = blocksIn(content).filter((block) => !repeats(block, structuredContent))
    if (others.length === 0) return { kind: 'ok', value, structured: true, ...meta }
    const beside = cleanJson(others, redact, MAX_RESULT)
    return { kind: 'ok', value, structured: true, beside, ...meta }
  } catch (error) {
    if (error instanceof OutOfBounds) return unreadable(`The answer of the server ${error.message}`)
    throw error
  }
}

/** An error in the server's own text: without a code, which only Cordon gives. */
function inOwnWords(reason: string): FailedCall {
  return { kind: 'failed', reason }
}

/** An answer that came, but cannot be used. */
export function unreadable(reason: string): FailedCall {
  return callFailed('call.unreadable', reason)
}

/** All texts of an error, in order; the structured content if there are none. */
function errorText({ content, structuredContent }: JsonObject): string {
  const texts = blocksIn(content).flatMap((block) => textIn(block) ?? [])
  if (texts.length > 0) return texts.join('\n')
  const hasMore = structuredContent !== undefined && structuredContent !== null
  return hasMore ? JSON.stringify(structuredContent) : 'unknown error'
}

function blocksIn(content: Json | undefined): readonly Json[] {
  return Array.isArray(content) ? (content as readonly Json[]) : []
}

function textIn(block: Json): string | undefined {
  const text = isJsonObject(block) ? block['text'] : undefined
  return typeof text === 'string' && text !== '' ? text : undefined
}

/** Servers repeat structured content as text, for older clients: the whole or one member of it, as JSON or as text. */
function repeats(block: Json, structured: Json): boolean {
  const text = textIn(block)
  if (text === undefined) return false
  const parts = isJsonObject(structured) ? [structured, ...Object.values(structured)] : [structured]
  if (parts.includes(text)) return true
  if (!/^\s*[[{]/.test(text)) return text.trim() === '' || text === JSON.stringify(structured)
  try {
    const told: unknown = JSON.parse(text)
    return parts.some((part) => isDeepStrictEqual(told, part))
  } catch {
    return false
  }
}
