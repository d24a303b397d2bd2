/** Parses a server's result into an answer: bounded in size and depth, secrets redacted. Its labels come later. */
import { callFailed, type FailedCall } from '../../kernel/call-failure.ts'
import type { Json } from '../../text/json.ts'
import { cleanJson, isJsonObject, OutOfBounds } from './json-bounds.ts'
import { cleanText, type Redact } from './clean-text.ts'

const MAX_RESULT = 10 * 2 ** 20

/** `structured` says whether the value is the structured content, which a schema may describe. */
export type ToolAnswer =
  | { readonly kind: 'ok'; readonly value: Json; readonly structured: boolean }
  | FailedCall

export function readAnswer(raw: Json, redact: Redact): ToolAnswer {
  if (!isJsonObject(raw)) return unreadable('The server returned no result')
  try {
    if (raw['isError'] === true) return inOwnWords(cleanText(firstText(raw['content']), redact))
    const { structuredContent, content = [] } = raw
    const structured = structuredContent !== undefined
    const value = cleanJson(structured ? structuredContent : content, redact, MAX_RESULT)
    return { kind: 'ok', value, structured }
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

function firstText(content: Json | undefined): string {
  const blocks: readonly Json[] = Array.isArray(content) ? content : []
  for (const block of blocks) {
    if (isJsonObject(block) && typeof block['text'] === 'string') return block['text']
  }
  return 'unknown error'
}
