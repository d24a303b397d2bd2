/**
 * Reads a server's whole tool list, page by page, within bounds. All is untrusted; an invalid tool is left out, and its
 * owner is told which and why.
 */
import { isFeatureName } from '../../text/feature-names.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { cutText, printable, seenLine } from '../../text/untrusted-text.ts'
import { cleanJson, isJsonObject, OutOfBounds } from './json-bounds.ts'
import { hasPlainHeaders } from './plain-headers.ts'

const MAX_PAGES = 64
const MAX_TOOLS = 10_000
const MAX_SIZE = 16 * 2 ** 20
const MAX_NAME = 200
const MAX_SHOWN_NAME = 60
/** Sentences about tools that were left out; further ones are counted. */
const MOST_SENTENCES = 20

/** A tool's definition as the server sent it, with secrets redacted and a valid name. */
export type RawTool = JsonObject & { readonly name: string }

/** Requests one page; the cursor of the first is `undefined`. */
type AskPage = (cursor: string | undefined) => Promise<unknown>

export interface ToolList {
  readonly tools: readonly RawTool[]
  /** One sentence for each tool that was left out, without a full stop. */
  readonly leftOut: readonly string[]
}

export async function readToolList(
  ask: AskPage,
  clean: (text: string) => string,
): Promise<ToolList> {
  const tools = new Map<string, RawTool>()
  const leftOut: string[] = []
  let cursor: string | undefined
  let left = MAX_SIZE
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await ask(cursor)
    if (!isJsonObject(answer) || !Array.isArray(answer['tools'])) {
      throw new OutOfBounds('has no list of tools')
    }
    const cleaned = cleanJson(answer['tools'] as Json, clean, left) as readonly Json[]
    left -= JSON.stringify(cleaned).length
    for (const tool of cleaned) {
      const why = misfitOf(tool, tools)
      if (why === undefined) tools.set((tool as RawTool).name, tool as RawTool)
      else leftOut.push(`${shownName(tool)} was left out: ${why}`)
    }
    if (tools.size > MAX_TOOLS) throw new OutOfBounds(`has more than ${MAX_TOOLS} tools`)
    cursor = typeof answer['nextCursor'] === 'string' ? answer['nextCursor'] : undefined
    if (cursor === undefined) return { tools: [...tools.values()], leftOut: shorten(leftOut) }
  }
  throw new OutOfBounds(`has more than ${MAX_PAGES} pages`)
}

/** Why a tool cannot be used; undefined if it can. */
function misfitOf(value: Json, known: ReadonlyMap<string, RawTool>): string | undefined {
  if (!isJsonObject(value)) return 'it is not an object'
  const { name } = value
  if (typeof name !== 'string' || name === '') return 'it has no name'
  if (name.length > MAX_NAME) return `its name is longer than ${MAX_NAME} characters`
  if (isFeatureName(name)) return 'names that begin with "~" are Cordon\'s own'
  // People see the name on one line, so no character of it may be invisible.
  if (seenLine(name, MAX_NAME) !== name) return 'its name has characters that cannot be seen'
  if (!hasPlainHeaders(value['inputSchema'])) {
    return 'it wants arguments repeated as headers (x-mcp-header) in a way that MCP does not allow'
  }
  // The first tool of a name counts: a second would replace the tool that the owner has seen.
  return known.has(name) ? 'another tool of the list has the same name' : undefined
}

/** `Tool "read\u200b"`: characters that cannot be seen are spelled out. */
function shownName(value: Json): string {
  const name = isJsonObject(value) ? value['name'] : undefined
  if (typeof name !== 'string' || name === '') return 'A tool'
  return `Tool "${printable(cutText(name, MAX_SHOWN_NAME)).replaceAll(/\s/g, ' ')}"`
}

function shorten(sentences: readonly string[]): readonly string[] {
  const more = sentences.length - MOST_SENTENCES
  if (more <= 0) return sentences
  return [...sentences.slice(0, MOST_SENTENCES), `${more} more were left out`]
}
