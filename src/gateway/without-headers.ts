/**
 * Strips `x-mcp-header` from the schema of a tool: it asks a client to repeat arguments as HTTP headers, which proxies see
 * and log, and which whoever lists the tool has to compare with the body. What a server wants repeated is between it and
 * Cordon. Pure. https://modelcontextprotocol.io/specification/2026-07-28/basic/transports
 */
import type { Json, JsonObject } from '../text/json.ts'
import { isObject } from './rpc-message.ts'

const KEY = 'x-mcp-header'

/** The same object if there is nothing to strip. Deeper in a schema the key has no meaning, and such a tool is left out. */
export function withoutHeaders(schema: JsonObject): JsonObject {
  const { properties } = schema
  if (!isObject(properties) || !Object.values(properties).some(hasKey)) return schema
  const plain = Object.entries(properties).map(([name, one]) => [name, stripped(one)])
  return { ...schema, properties: Object.fromEntries(plain) as JsonObject }
}

function hasKey(schema: Json): boolean {
  return isObject(schema) && Object.hasOwn(schema, KEY)
}

function stripped(schema: Json): Json {
  if (!isObject(schema)) return schema
  const { [KEY]: _header, ...rest } = schema
  return rest
}
