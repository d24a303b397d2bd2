/** The input of a flow as a person types it, made into a value of the type that the flow declares. Pure. */
import type { Json } from './json.ts'
import { typeNamed } from './type-named.ts'

/** Text for a type that allows text, or a list of one; otherwise JSON. The kernel refuses a value of the wrong type. */
export function inputValue(text: string, type: string): Json {
  const types = typeNamed(type).split('|')
  if (types.includes('string') || types.includes('any')) return text
  if (types.includes('string[]') && !text.trimStart().startsWith('[')) return [text]
  try {
    return JSON.parse(text) as Json
  } catch {
    return text
  }
}
