/** Makes a value such that nobody can change it any more, whoever else holds it: what was shown is what runs. */
import type { Json, JsonObject } from '../../kernel/json.ts'

export function freezeJson(value: Json): void {
  if (typeof value !== 'object' || value === null) return
  Object.freeze(value)
  for (const member of Object.values(value as JsonObject)) freezeJson(member)
}
