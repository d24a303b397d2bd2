/** Turns what a server returned into what a caller gets: bounded, free of secrets, labelled as foreign. */
import type { Json } from '../../kernel/json.ts'
import type { ToolResult } from '../../kernel/tool-call.ts'
import { cleanJson, isJsonObject, OutOfBounds } from './json-bounds.ts'
import { cleanText, type Redact } from './clean-text.ts'

const MAX_RESULT = 10 * 2 ** 20

/** `structured` says whether the value is the structured content, which a schema may describe. */
export type ToolAnswer =
  | { readonly kind: 'ok'; readonly value: Json; readonly structured: boolean }
  | Extract<ToolResult, { kind: 'failed' }>

export function readAnswer(raw: Json, redact: Redact): ToolAnswer {
  if (!isJsonObject(raw)) return failed('The server returned no result')
  try {
    if (raw['isError'] === true) return failed(cleanText(firstText(raw['content']), redact))
    const { structuredContent, content = [] } = raw
    const structured = structuredContent !== undefined
    const value = cleanJson(structured ? structuredContent : content, redact, MAX_RESULT)
    return { kind: 'ok', value, structured }
  } catch (error) {
    if (error instanceof OutOfBounds) return failed(`The answer of the server ${error.message}`)
    throw error
  }
}

export function failed(reason: string): Extract<ToolResult, { kind: 'failed' }> {
  return { kind: 'failed', reason }
}

function firstText(content: Json | undefined): string {
  const blocks: readonly Json[] = Array.isArray(content) ? content : []
  for (const block of blocks) {
    if (isJsonObject(block) && typeof block['text'] === 'string') return block['text']
  }
  return 'unknown error'
}
