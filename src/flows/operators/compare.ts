/**
 * Compares unlabelled values: exactly, the same on every machine, and without regular expressions, so without ReDoS.
 */
import type { Json, JsonObject } from '../../text/json.ts'

export const COMPARISONS = [
  'eq',
  'ne',
  'lt',
  'lte',
  'gt',
  'gte',
  'in',
  'contains',
  'starts_with',
  'ends_with',
  'exists',
] as const
export type Comparison = (typeof COMPARISONS)[number]

/** `undefined` stands for a missing value: it does not exist, equals nothing, and has no order. */
export function compares(left: Json | undefined, op: Comparison, right: Json): boolean {
  if (op === 'exists') return (left !== undefined && left !== null) === (right !== false)
  if (op === 'ne') return left === undefined || !isSame(left, right)
  return left !== undefined && COMPARED[op](left, right)
}

type Compare = (left: Json, right: Json) => boolean

const COMPARED: Readonly<Record<Exclude<Comparison, 'exists' | 'ne'>, Compare>> = {
  eq: isSame,
  lt: (left, right) => isOrdered(left, right) && orderOf(left, right) < 0,
  lte: (left, right) => isOrdered(left, right) && orderOf(left, right) <= 0,
  gt: (left, right) => isOrdered(left, right) && orderOf(left, right) > 0,
  gte: (left, right) => isOrdered(left, right) && orderOf(left, right) >= 0,
  in: (left, right) => Array.isArray(right) && right.some((one: Json) => isSame(left, one)),
  contains: (left, right) =>
    Array.isArray(left)
      ? left.some((one: Json) => isSame(one, right))
      : areTexts(left, right) && left.includes(right as string),
  starts_with: (left, right) => areTexts(left, right) && left.startsWith(right as string),
  ends_with: (left, right) => areTexts(left, right) && left.endsWith(right as string),
}

/**
 * Numbers, then texts, then other values, then null and missing ones. Texts by code unit, so ISO dates sort by time.
 */
export function orderOf(left: Json | undefined, right: Json | undefined): number {
  const byKind = rankOf(left) - rankOf(right)
  if (byKind !== 0) return byKind
  const isPlain = typeof left === 'number' || typeof left === 'string'
  if (!isPlain || left === right) return 0
  return left < (right as typeof left) ? -1 : 1
}

export function isRankable(value: Json | undefined): boolean {
  return typeof value === 'number' || typeof value === 'string'
}

/** Equal values have equal text, whatever the order of their members. */
export function spellOf(value: Json): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map((one: Json) => spellOf(one)).join()}]`
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))
  return `{${members.map(([name, one]) => `${JSON.stringify(name)}:${spellOf(one)}`).join()}}`
}

/** Stops at the first difference, since each item of a long list may be compared with a value just as long. */
function isSame(left: Json, right: Json): boolean {
  if (typeof left !== 'object' || typeof right !== 'object' || !left || !right)
    return left === right
  if (Array.isArray(left) || Array.isArray(right)) return areSameLists(left, right)
  const members = Object.entries(left as JsonObject)
  const isThere = ([name, one]: readonly [string, Json]): boolean =>
    Object.hasOwn(right, name) && isSame(one, (right as JsonObject)[name] as Json)
  return members.every(isThere) && members.length === Object.keys(right).length
}

function areSameLists(left: Json, right: Json): boolean {
  if (!Array.isArray(left) || !Array.isArray(right) || left.length !== right.length) return false
  return left.every((one: Json, at) => isSame(one, right[at] as Json))
}

function isOrdered(left: Json, right: Json): boolean {
  return isRankable(left) && typeof left === typeof right
}

function areTexts(left: Json, right: Json): left is string {
  return typeof left === 'string' && typeof right === 'string'
}

function rankOf(value: Json | undefined): number {
  if (value === undefined || value === null) return 3
  if (typeof value === 'number') return 0
  return typeof value === 'string' ? 1 : 2
}
