/** All texts inside a JSON value, one per line, names of members included. Stops at `most` characters. */
import type { Json, JsonObject } from './json.ts'

export function writtenTexts(value: Json, most: number): string {
  const found: string[] = []
  let left = most
  const take = (text: string): void => {
    if (left > 0) found.push(text.slice(0, left))
    left -= text.length + 1
  }
  const walk = (one: Json): void => {
    if (left <= 0) return
    if (typeof one === 'string') take(one)
    if (typeof one !== 'object' || one === null) return
    if (Array.isArray(one)) return one.forEach((item: Json) => walk(item))
    for (const [name, member] of Object.entries(one as JsonObject)) {
      take(name)
      walk(member)
    }
  }
  walk(value)
  return found.join('\n')
}
