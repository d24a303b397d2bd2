/** Whether something is nothing but JSON, of a size and depth that everything after can walk through. */
import { within } from './json-place.ts'

const MAX_DEPTH = 64
const MAX_VALUES = 200_000
const MAX_TEXT = 10 * 2 ** 20

export interface OddPlace {
  readonly place: string
  readonly message: string
}

/** The first place where it is not. */
export function oddPlace(input: unknown): OddPlace | undefined {
  let valuesLeft = MAX_VALUES
  let textLeft = MAX_TEXT
  const walk = (value: unknown, place: string, depth: number): OddPlace | undefined => {
    valuesLeft -= 1
    if (typeof value === 'string') textLeft -= value.length
    if (valuesLeft < 0 || textLeft < 0) return { place, message: 'the flow is too large' }
    if (typeof value !== 'object' || value === null) {
      return isScalar(value) ? undefined : { place, message: 'expected JSON' }
    }
    const odd = oddHolder(value, depth)
    if (odd !== undefined) return { place, message: odd }
    for (const [name, member] of Object.entries(value)) {
      const inside = walk(member, within(place, name), depth - 1)
      if (inside) return inside
    }
    return undefined
  }
  return walk(input, '', MAX_DEPTH)
}

function oddHolder(value: object, depth: number): string | undefined {
  if (depth === 0) return `is nested deeper than ${MAX_DEPTH} levels`
  if (Object.hasOwn(value, '__proto__')) return 'the name "__proto__" cannot be used'
  // A list with holes, or with more than its items.
  const isList = Array.isArray(value)
  return isList && Object.keys(value).length !== value.length ? 'expected JSON' : undefined
}

function isScalar(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  return typeof value === 'number' && Number.isFinite(value)
}
