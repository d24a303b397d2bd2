/**
 * The `_meta` of a tool for other programs: without what only Cordon may say, and with the resource that draws its results
 * (MCP Apps) under the name by which a program reads it. Pure.
 */
import type { ServerId } from '../kernel/server-id.ts'
import type { JsonObject } from '../text/json.ts'
import { aliasOf } from './alias-of.ts'
import { isObject } from './rpc-message.ts'
import { withoutIdentity } from './without-identity.ts'

/** The key of the first drafts, which programs still read. */
const FLAT_KEY = 'ui/resourceUri'

/** To be spread into a definition. Of a tool with suspicious texts only the name of that resource is kept. */
export function toolMeta(
  server: ServerId,
  meta: JsonObject | undefined,
  isPlain: boolean,
): JsonObject {
  const { _meta } = meta ? withoutIdentity({ _meta: isPlain ? meta : drawingIn(meta) }) : {}
  if (!isObject(_meta)) return {}
  const { ui, [FLAT_KEY]: flat } = _meta
  const drawn = isObject(ui) ? ui['resourceUri'] : undefined
  const name = (uri: string): string => aliasOf({ server, uri })
  return {
    _meta: {
      ..._meta,
      ...(isObject(ui) && typeof drawn === 'string' && { ui: { ...ui, resourceUri: name(drawn) } }),
      ...(typeof flat === 'string' && { [FLAT_KEY]: name(flat) }),
    },
  }
}

function drawingIn({ ui, [FLAT_KEY]: flat }: JsonObject): JsonObject {
  const drawn = isObject(ui) ? ui['resourceUri'] : undefined
  return {
    ...(typeof drawn === 'string' && { ui: { resourceUri: drawn } }),
    ...(typeof flat === 'string' && { [FLAT_KEY]: flat }),
  }
}
