/** Deep-freezes a JSON value that other code also holds, so that the arguments that were shown are those that run. */
import type { Json, JsonObject } from '../../text/json.ts'

export function freezeJson(value: Json): void {
  if (typeof value !== 'object' || value === null) return
  Object.freeze(value)
  for (const member of Object.values(value as JsonObject)) freezeJson(member)
}
