/** Checks that a value is plain JSON, and small and shallow enough for all later code to walk through it. */
import { findInJson, type JsonPath } from '../../text/bounded-json.ts'
import { placeOf } from './json-place.ts'

const MAX_DEPTH = 64
const MAX_VALUES = 200_000
const MAX_TEXT = 10 * 2 ** 20

export interface OddPlace {
  readonly place: string
  readonly message: string
}

/** The first place that is not plain JSON, or that exceeds a limit. */
export function oddPlace(input: unknown): OddPlace | undefined {
  let valuesLeft = MAX_VALUES
  let textLeft = MAX_TEXT
  const look = (value: unknown, path: JsonPath): OddPlace | undefined => {
    valuesLeft -= 1
    if (typeof value === 'string') textLeft -= value.length
    const isTooLarge = valuesLeft < 0 || textLeft < 0
    const message = isTooLarge ? 'the flow is too large' : oddity(value)
    return message === undefined ? undefined : { place: placeOf(path), message }
  }
  return findInJson(input, {
    maxDepth: MAX_DEPTH,
    look,
    tooDeep: (path) => ({
      place: placeOf(path),
      message: `is nested deeper than ${MAX_DEPTH} levels`,
    }),
  })
}

/** A lone surrogate has no canonical JSON, so a flow with one could not be hashed. */
const HALF = 'holds half a character; save the text as UTF-8'

function oddity(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null) {
    if (typeof value === 'string' && !value.isWellFormed()) return HALF
    return isScalar(value) ? undefined : 'expected JSON'
  }
  if (!Object.keys(value).every((name) => name.isWellFormed())) return HALF
  if (Object.hasOwn(value, '__proto__')) return 'the name "__proto__" cannot be used'
  // An array with holes, or with properties besides its items.
  const isList = Array.isArray(value)
  return isList && Object.keys(value).length !== value.length ? 'expected JSON' : undefined
}

function isScalar(value: unknown): boolean {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return true
  return typeof value === 'number' && Number.isFinite(value)
}
