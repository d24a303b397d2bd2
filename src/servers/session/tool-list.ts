/** Reads a server's whole tool list, page by page, within bounds. All is untrusted; an invalid tool is left out. */
import type { Json, JsonObject } from '../../text/json.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import { cleanJson, isJsonObject, OutOfBounds } from './json-bounds.ts'
import { hasPlainHeaders } from './plain-headers.ts'

const MAX_PAGES = 64
const MAX_TOOLS = 10_000
const MAX_SIZE = 16 * 2 ** 20
const MAX_NAME = 200

/** A tool's definition as the server sent it, with secrets redacted and a valid name. */
export type RawTool = JsonObject & { readonly name: string }

/** Requests one page; the cursor of the first is `undefined`. */
type AskPage = (cursor: string | undefined) => Promise<unknown>

export async function readToolList(
  ask: AskPage,
  clean: (text: string) => string,
): Promise<readonly RawTool[]> {
  const tools = new Map<string, RawTool>()
  let cursor: string | undefined
  let left = MAX_SIZE
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const answer = await ask(cursor)
    if (!isJsonObject(answer) || !Array.isArray(answer['tools'])) {
      throw new OutOfBounds('has no list of tools')
    }
    const cleaned = cleanJson(answer['tools'] as Json, clean, left) as readonly Json[]
    left -= JSON.stringify(cleaned).length
    // The first tool of a name counts: a second would replace the tool that the owner has seen.
    for (const tool of cleaned)
      if (isTool(tool) && !tools.has(tool.name)) tools.set(tool.name, tool)
    if (tools.size > MAX_TOOLS) throw new OutOfBounds(`has more than ${MAX_TOOLS} tools`)
    cursor = typeof answer['nextCursor'] === 'string' ? answer['nextCursor'] : undefined
    if (cursor === undefined) return [...tools.values()]
  }
  throw new OutOfBounds(`has more than ${MAX_PAGES} pages`)
}

function isTool(value: Json): value is RawTool {
  if (!isJsonObject(value)) return false
  const { name } = value
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME) return false
  // People see the name on one line, so no character of it may be invisible.
  return seenLine(name, MAX_NAME) === name && hasPlainHeaders(value['inputSchema'])
}
