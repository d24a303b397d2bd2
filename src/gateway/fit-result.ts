/**
 * Long results as handles: a result above the limit of the client's program is kept here, and the client gets the
 * beginning of it. The value stays labelled, and is the same for `read_result` and for arguments that name it.
 */
import type { CallResult } from '../kernel/tool-call.ts'
import { Labelled } from '../labels/labelled.ts'
import { deliver, type Sink } from '../labels/sink.ts'
import type { ClientLimits } from '../ports/client-limits.ts'
import { estimateTokens } from '../text/estimate-tokens.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { type ClientSession, sinkOf } from './client-session.ts'
import { spellPart } from './result-part.ts'
import { isObject } from './rpc-message.ts'
import { text } from './show-call.ts'

const PREVIEW_CHARACTERS = 2000

/** The result as it is sent: as it was shown, or as a handle if it is above the limit. */
export function fitResult(
  session: ClientSession,
  result: CallResult,
  shown: JsonObject,
  { resultTokens }: ClientLimits,
): JsonObject {
  if (!resultTokens || result.kind !== 'ok' || shown['isError'] === true) return shown
  const tokens = estimateTokens(JSON.stringify(shown['content']))
  if (tokens <= resultTokens.most || hasPictures(shown)) return shown
  const value = plainValue(result.value, sinkOf(session))
  const words = spellPart(value, sinkOf(session))
  const id = session.results.keep(value, words.length)
  return {
    content: [
      text(
        `The result is too long for this program (about ${tokens} tokens), so it is kept as ${id} for an hour. Read on with read_result. To give it, or a part of it, to another tool, do not copy it: write {"$result": "${id}", "path": "…"} as the argument.${shapeOf(value, id)} It begins:`,
      ),
      text(words.slice(0, PREVIEW_CHARACTERS)),
    ],
  }
}

/** Pictures and sound are no text to read on in. */
function hasPictures({ content }: JsonObject): boolean {
  return (
    Array.isArray(content) &&
    (content as readonly Json[]).some((block) => isObject(block) && block['type'] !== 'text')
  )
}

/** The value itself where a server wrapped it into one block of text; JSON in such a block is read as such. */
function plainValue(value: Labelled, sink: Sink): Labelled {
  const inner = value.size === 1 ? value.at(0, 'text') : undefined
  if (!inner) return value
  const words = deliver(inner, sink)
  if (words.kind === 'withheld' || typeof words.value !== 'string') return value
  const json = jsonIn(words.value)
  return json === undefined ? inner : new Labelled(json, { label: inner.label })
}

function jsonIn(words: string): Json | undefined {
  if (!/^\s*[[{]/.test(words)) return undefined
  try {
    return JSON.parse(words) as Json
  } catch {
    return undefined
  }
}

function shapeOf({ size }: Labelled, id: string): string {
  return size === undefined ? '' : ` ${id} is JSON with ${size} members.`
}
