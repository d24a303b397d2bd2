/**
 * Walks through JSON of others, and copies of it, down to a limit. No value is followed further down than the limit,
 * so none can exhaust the stack; each caller says how deep that is, and counts what else it limits. Pure.
 */

type Json = null | boolean | number | string | readonly Json[] | JsonObject
interface JsonObject {
  readonly [key: string]: Json
}

/** By itself rather than by `findInJson`, which takes twice as long: every message of a server passes here. */
export function isDeeperThan(value: unknown, maxDepth: number): boolean {
  if (typeof value !== 'object' || value === null) return false
  if (maxDepth === 0) return true
  for (const member of Object.values(value)) {
    if (isDeeperThan(member, maxDepth - 1)) return true
  }
  return false
}

/** From the root: names of members and positions in lists. */
export type JsonPath = readonly (string | number)[]

export interface JsonSearch<Found> {
  /** Levels of lists and objects that may be nested in each other. */
  readonly maxDepth: number
  /** Sees every value, a list or object before its members; what it returns ends the search. */
  readonly look: (value: unknown, path: JsonPath) => Found | undefined
  /** For a list or object below the limit. */
  readonly tooDeep: (path: JsonPath) => Found
}

/** The first thing that is found, in the order of the text. */
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
  /** Every text and every name passes through it. */
  readonly text: (raw: string) => string
  /** Stands for a list or object below the limit, unless it throws. */
  readonly tooDeep: () => Json
  /** Hears how many members each list and object has, before they are copied. */
  readonly count?: (members: number) => void
}

/** A copy that JSON can say: without members that are undefined, and with null for numbers that are not finite. */
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
