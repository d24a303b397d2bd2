/** Parses `notion.search query="plan" limit=3`: a tool called by name, without a model. Pure. */
import type { Json } from '../text/json.ts'
import { splitTool } from '../kernel/tool-id.ts'

export interface DirectCall {
  readonly server: string
  readonly tool: string
  readonly args: Readonly<Record<string, Json>>
}

const CALL = /^([^\s=]+)(?:\s+([^]*))?$/
const SERVER = /^[a-z0-9][a-z0-9_-]*$/
const ARGUMENT = /\s*([\p{L}_$][\p{L}\p{N}_$.-]*)=("(?:[^"\\]|\\.)*"|'[^']*'|[^\s"']\S*)\s*/uy

/** Undefined if the text is something else: a sentence, or arguments that cannot be parsed. */
export function parseDirectCall(text: string): DirectCall | undefined {
  const [, name = '', rest = ''] = CALL.exec(text.trim()) ?? []
  const { server, tool } = splitTool(name) ?? {}
  if (!server || !tool || !SERVER.test(server)) return undefined
  const args = rest.trimStart().startsWith('{') ? parseObject(rest) : parseArguments(rest)
  return args && { server, tool, args }
}

function parseObject(text: string): DirectCall['args'] | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null ? (value as DirectCall['args']) : undefined
  } catch {
    return undefined
  }
}

function parseArguments(text: string): DirectCall['args'] | undefined {
  const members: [string, Json][] = []
  let at = 0
  while (at < text.length) {
    ARGUMENT.lastIndex = at
    const [whole, name, value] = ARGUMENT.exec(text) ?? []
    if (whole === undefined || name === undefined || value === undefined) return undefined
    members.push([name, valueOf(value)])
    at += whole.length
  }
  return Object.fromEntries(members)
}

/** A word that parses as JSON is a JSON value; any other word is text. */
function valueOf(word: string): Json {
  if (word.startsWith("'")) return word.slice(1, -1)
  try {
    return JSON.parse(word) as Json
  } catch {
    return word
  }
}
