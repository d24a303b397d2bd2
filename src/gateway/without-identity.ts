/** Strips what only a server of the protocol itself may say of its messages: a program talks to Cordon, not to them. Pure. */
import type { JsonObject } from '../text/json.ts'
import { isObject } from './rpc-message.ts'

const RESERVED = 'io.modelcontextprotocol/'

export function withoutIdentity(item: JsonObject): JsonObject {
  const { _meta, ...rest } = item
  if (!isObject(_meta)) return rest
  const kept = Object.entries(_meta).filter(([key]) => !key.startsWith(RESERVED))
  return kept.length === 0 ? rest : { ...rest, _meta: Object.fromEntries(kept) }
}
