/**
 * The result of a call as `tools/call` answers it. A refusal and a failure are results with `isError`, so that the client's
 * model reads why and what can be done; a value above the client's clearance stays here.
 */
import type { CallResult } from '../kernel/tool-call.ts'
import { deliver, type Sink } from '../labels/sink.ts'
import type { Json, JsonObject } from '../text/json.ts'
import { isObject } from './rpc-message.ts'
import { withoutIdentity } from './without-identity.ts'

/** The owner is asked, and the client could not wait. */
export const WAITING =
  'Cordon is waiting for the owner to allow this call. Call the same tool with exactly the same arguments again to get the answer; the owner is asked on their page, terminal or phone.'

export function showCall(result: CallResult, isStructured: boolean, sink: Sink): JsonObject {
  if (result.kind === 'refused') return failed(result.reason)
  if (result.kind === 'failed') return failed(sentences(result.reason, result.hint))
  const delivery = deliver(result.value, sink)
  if (delivery.kind === 'withheld') return failed(delivery.reason)
  const { value } = delivery
  const more = [...blocksBeside(result, sink), ...notesOn(result)]
  const _meta = metaOf(result, sink)
  if (!isStructured && isContent(value)) return { content: [...value, ...more], ..._meta }
  return {
    ..._meta,
    content: [text(typeof value === 'string' ? value : JSON.stringify(value)), ...more],
    // Clients of older versions take objects alone.
    ...(isObject(value) && { structuredContent: value }),
  }
}

type Done = Extract<CallResult, { readonly kind: 'ok' }>

function sentences(reason: string, hint: string | undefined): string {
  return hint === undefined ? reason : `${reason}. ${hint}`
}

function blocksBeside({ beside }: Done, sink: Sink): readonly JsonObject[] {
  const delivery = beside && deliver(beside, sink)
  return delivery?.kind === 'shown' ? blocksIn(delivery.value) : []
}

/** `_meta` of the server's result, to be spread into the answer. */
export function metaOf({ meta }: Pick<Done, 'meta'>, sink: Sink): JsonObject {
  const delivery = meta && deliver(meta, sink)
  return delivery?.kind === 'shown' ? withoutIdentity({ _meta: delivery.value }) : {}
}

function notesOn({ disarmed = [] }: Done): readonly JsonObject[] {
  if (disarmed.length === 0) return []
  return [text(`Cordon changed the arguments in ${disarmed.length} places before it sent them.`)]
}

/** A sentence for the client's model; `isError` tells it that nothing was done. */
export function failed(reason: string): JsonObject {
  return { content: [text(reason)], isError: true }
}

export function text(words: string): JsonObject {
  return { type: 'text', text: words }
}

function isContent(value: Json): value is readonly JsonObject[] {
  return blocksIn(value).length > 0 || (Array.isArray(value) && value.length === 0)
}

/** Content blocks; none if a member of the list is something else. */
function blocksIn(value: Json): readonly JsonObject[] {
  if (!Array.isArray(value)) return []
  const blocks = (value as readonly Json[]).filter(
    (block): block is JsonObject => isObject(block) && typeof block['type'] === 'string',
  )
  return blocks.length === value.length ? blocks : []
}
