/**
 * Walks through untrusted JSON and copies it, down to a depth limit that the caller sets. No value is followed below
 * the limit, so none can exhaust the stack. Other limits, such as the number of members, are the caller's. Pure.
 */

type Json = null | boolean | number | string | readonly Json[] | JsonObject
interface JsonObject {
  readonly [key: string]: Json
}

/** A loop of its own, since `findInJson` takes twice as long and every message of a server passes here. */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (maxDepth === 0) return true
  for (const member of Object.values(value)) {
    if (isDeeperThan(member, maxDepth - 1)) return true
  }
  return false
}

/** The path from the root: names of members and positions in lists. */
export type JsonPath = readonly (string | number)[]

export interface JsonSearch<Found> {
  /** The number of levels of lists and objects that may be nested. */
  readonly maxDepth: number
  /** Sees every value, a list or object before its members; a result other than undefined ends the search. */
  readonly look: (value: unknown, path: JsonPath) => Found | undefined
  /** The result for a list or object below the limit. */
  readonly tooDeep: (path: JsonPath) => Found
}

/** The first result of `look` or `tooDeep`, in document order. */
export function findInJson<Found>(root: unknown, search: JsonSearch<Found>): Found | undefined {
  const { maxDepth, look, tooDeep } = search
  const path: (string | number)[] = []
  const walkInto = (step: string | number, value: unknown): Found | undefined => {
    path.push(step)
    const found = walk(value)
    path.pop()
    return found
  }
  const walk = (value: unknown): Found | undefined => {
    const found = look(value, path)
    if (found !== undefined || typeof value !== 'object' || value === null) return found
    if (path.length === maxDepth) return tooDeep(path)
    for (const step of Array.isArray(value) ? value.keys() : Object.keys(value)) {
      const inside = walkInto(step, (value as Readonly<Record<string | number, unknown>>)[step])
      if (inside !== undefined) return inside
    }
    return undefined
  }
  return walk(root)
}

export interface JsonCopying {
  readonly maxDepth: number
  /** Maps every text and every member name. */
  readonly text: (raw: string) => string
  /** The replacement for a list or object below the limit; may throw instead. */
  readonly tooDeep: () => Json
  /** Receives the number of members of each list and object before they are copied. */
  readonly count?: (members: number) => void
}

/** A copy that JSON can represent: undefined members are dropped, and numbers that are not finite become null. */
export function copyJson(root: Json, { maxDepth, text, tooDeep, count }: JsonCopying): Json {
  const copy = (value: Json | undefined, depth: number): Json => {
    if (typeof value === 'string') return text(value)
    if (typeof value === 'number') return Number.isFinite(value) ? value : null
    if (typeof value !== 'object' || value === null) return value ?? null
    if (depth === maxDepth) return tooDeep()
    if (Array.isArray(value)) return copyList(value, depth + 1)
    return copyObject(value as JsonObject, depth + 1)
  }
  const copyList = (items: readonly Json[], depth: number): Json => {
    count?.(items.length)
    return items.map((item) => copy(item, depth))
  }
  const copyObject = (object: JsonObject, depth: number): Json => {
    const names = Object.keys(object)
    count?.(names.length)
    const members: [string, Json][] = []
    for (const name of names) {
      const member = object[name]
      if (member !== undefined) members.push([text(name), copy(member, depth)])
    }
    return Object.fromEntries(members)
  }
  return copy(root, 0)
}
