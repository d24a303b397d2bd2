/** Parses `notion.search query="plan" limit=3`: a tool called by name, without a model. Pure. */
import { type CallWord, readCallArguments } from '../text/call-arguments.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { splitTool } from '../kernel/tool-id.ts'

export interface DirectCall {
  readonly server: string
  readonly tool: string
  readonly args: Readonly<Record<string, Json>>
}

const CALL = /^([^\s=]+)(?:\s+([^]*))?$/
const SERVER = /^[a-z0-9][a-z0-9_-]*$/
const WORD =
  /\s*((?:[^\s"'=]+=)?)("(?:[^"\\]|\\.)*"|'[^']*'|(?![^\s"'=]+=["'])[^\s"']\S*)(?=\s|$)\s*/uy

/**
 * Undefined if the text is something else: a sentence, or arguments that cannot be parsed. With the tool's schema the
 * arguments have the types that it declares.
 */
export function parseDirectCall(
  text: string,
  schema?: JsonObject,
  expand?: (text: string) => string,
): DirectCall | undefined {
  const [, name = '', rest = ''] = CALL.exec(text.trim()) ?? []
  const { server = '', tool } = splitTool(name) ?? {}
  if (!tool || !SERVER.test(server)) return undefined
  const args = argumentsOf(rest, schema, expand)
  return args && { server, tool, args }
}

function argumentsOf(
  text: string,
  schema: JsonObject | undefined,
  expand: ((text: string) => string) | undefined,
): DirectCall['args'] | undefined {
  const words = text.trimStart().startsWith('{') ? [{ text }] : wordsOf(text)
  const read = words && readCallArguments(words, schema, expand)
  return read?.kind === 'read' ? read.args : undefined
}

function wordsOf(text: string): readonly CallWord[] | undefined {
  const words: CallWord[] = []
  let at = 0
  while (at < text.length) {
    WORD.lastIndex = at
    const [whole, key = '', value = ''] = WORD.exec(text) ?? []
    if (whole === undefined) return undefined
    const isQuoted = /^["']/.test(value)
    words.push({ text: `${key}${isQuoted ? unquoted(value) : value}`, isQuoted })
    at += whole.length
  }
  return words
}

function unquoted(value: string): string {
  if (value.startsWith("'")) return value.slice(1, -1)
  try {
    return JSON.parse(value) as string
  } catch {
    return value.slice(1, -1)
  }
}
