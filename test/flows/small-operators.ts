/** The operators and comparisons of the small interpreter, from what `cordon registry describe` and docs/flows.md say. */
import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from '../../src/text/json.ts'

/** A step that ended with an action other than `default`. */
export class StepEnd extends Error {
  readonly action: string

  constructor(action: string) {
    super(action)
    this.action = action
  }
}

type Comparison = (left: Json, right: Json) => boolean

/** Numbers are compared with numbers, and texts with texts. */
function ordered(isRight: (order: number) => boolean): Comparison {
  return (left, right) => {
    const isOrdered = typeof left === typeof right && ['number', 'string'].includes(typeof left)
    return isOrdered && isRight(compareTo(left, right))
  }
}

function texts(isRight: (left: string, right: string) => boolean): Comparison {
  return (left, right) =>
    typeof left === 'string' && typeof right === 'string' && isRight(left, right)
}

const COMPARISONS: Readonly<Record<string, Comparison>> = {
  eq: (left, right) => isDeepStrictEqual(left, right),
  ne: (left, right) => !isDeepStrictEqual(left, right),
  lt: ordered((order) => order < 0),
  lte: ordered((order) => order <= 0),
  gt: ordered((order) => order > 0),
  gte: ordered((order) => order >= 0),
  in: (left, right) => Array.isArray(right) && has(right, left),
  contains: (left, right) =>
    Array.isArray(left)
      ? has(left, right)
      : texts((text, part) => text.includes(part))(left, right),
  starts_with: texts((left, right) => left.startsWith(right)),
  ends_with: texts((left, right) => left.endsWith(right)),
}

export function compares(left: Json | undefined, op: string, right: Json): boolean {
  return left !== undefined && COMPARISONS[op]?.(left, right) === true
}

function has(list: readonly Json[], value: Json): boolean {
  return list.some((one) => isDeepStrictEqual(one, value))
}

/** As a value stands inside other text. */
export function textOf(value: Json): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

type Operator = (items: Json, params: JsonObject) => Json

export const SMALL_OPERATORS: Readonly<Record<string, Operator>> = {
  filter: (items, params) => listOf(items).filter((item) => meets(item, params['where'] ?? null)),
  select: (items, params) =>
    some(listOf(items).find((item) => meets(item, params['where'] ?? null))),
  sort(items, { by, order }) {
    const sign = order === 'desc' ? -1 : 1
    return listOf(items).toSorted((a, b) => sign * compareTo(fieldOf(a, by), fieldOf(b, by)))
  },
  argmax: (items, { by }) => extreme(listOf(items), by, 1),
  argmin: (items, { by }) => extreme(listOf(items), by, -1),
  count: (items) => listOf(items).length,
  first: (items) => some(listOf(items)[0]),
  last: (items) => some(listOf(items).at(-1)),
  unique(items, { by }) {
    const key = (one: Json): Json | undefined => (by === undefined ? one : fieldOf(one, by))
    const list = listOf(items)
    return list.filter(
      (one, at) => list.findIndex((other) => isDeepStrictEqual(key(other), key(one))) === at,
    )
  },
  pick: (items, { fields }) =>
    Array.isArray(items) ? items.map((one) => picked(one, fields)) : picked(items, fields),
  join: (items, { separator = '\n' }) => listOf(items).map(textOf).join(textOf(separator)),
  lines: (items) =>
    textOf(items)
      .split('\n')
      .filter((line) => line.trim() !== ''),
  json(items) {
    try {
      return JSON.parse(textOf(items)) as Json
    } catch {
      throw new StepEnd('error')
    }
  },
}

function listOf(value: Json): readonly Json[] {
  if (Array.isArray(value)) return value
  throw new StepEnd('error')
}

/** Null if there is no such item. */
function some(value: Json | undefined): Json {
  return value ?? null
}

function fieldOf(item: Json, field: Json | undefined): Json | undefined {
  const isObject = typeof item === 'object' && item !== null && !Array.isArray(item)
  return isObject ? (item as JsonObject)[textOf(field ?? '')] : undefined
}

function compareTo(a: Json | undefined, b: Json | undefined): number {
  if (a === b) return 0
  return (a as number) < (b as number) ? -1 : 1
}

/** The first of those that are equal. */
function extreme(items: readonly Json[], by: Json | undefined, sign: number): Json {
  return some(
    items.reduce<Json | undefined>((best, one) => {
      const isBetter =
        best === undefined || sign * compareTo(fieldOf(one, by), fieldOf(best, by)) > 0
      return isBetter ? one : best
    }, undefined),
  )
}

function picked(item: Json, fields: Json | undefined): Json {
  const names = fields as readonly string[]
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = fieldOf(item, name)
      return value === undefined ? [] : [[name, value] as const]
    }),
  )
}

const SIGNS: Readonly<Record<string, string>> = {
  '=': 'eq',
  '!=': 'ne',
  '>': 'gt',
  '>=': 'gte',
  '<': 'lt',
  '<=': 'lte',
}

/** `n > 5`, `name contains b`, an object, or several, all of which have to hold. */
function meets(item: Json, where: Json): boolean {
  if (Array.isArray(where)) return where.every((one: Json) => meets(item, one))
  if (typeof where !== 'string') {
    const { field, op, value } = where as { field: string; op: string; value: Json }
    return compares(fieldOf(item, field), op, value)
  }
  return where.split(' and ').every((one) => {
    const [field = '', sign = '', text = ''] = one.split(' ')
    const value = /^\d+$/.test(text) ? Number(text) : text
    return compares(fieldOf(item, field), SIGNS[sign] ?? sign, value)
  })
}
