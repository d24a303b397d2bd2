/** Places in a JSON value: `[0].description` as the suites write it, `[*].description` for every item alike. */
import { isDeepStrictEqual } from 'node:util'
import type { Json, JsonObject } from '../../src/text/json.ts'

export type Path = readonly (string | number)[]

export function parsePath(text: string): Path {
  return [...text.matchAll(/\[(\d+)\]|\.?([^.[\]]+)/g)].map(([, index, name]) =>
    index === undefined ? (name as string).replace(/^["']|["']$/g, '') : Number(index),
  )
}

/** Replaces every list index by `[*]`, so that the path means the same place in every item. */
export function generalise(path: Path): string {
  const steps = path.map((step) => (typeof step === 'number' ? '[*]' : `.${step}`))
  return steps.join('').replace(/^\./, '')
}

/** Every value inside `json` with its path, the whole value first. */
export function* placesIn(json: Json, path: Path = []): Generator<{ path: Path; json: Json }> {
  yield { path, json }
  if (typeof json !== 'object' || json === null) return
  if (Array.isArray(json)) {
    for (const [at, item] of (json as readonly Json[]).entries()) {
      yield* placesIn(item, [...path, at])
    }
    return
  }
  for (const [name, member] of Object.entries(json as JsonObject)) {
    yield* placesIn(member, [...path, name])
  }
}

/** The paths of all values that equal `wanted`. */
export function placesOf(wanted: Json, within: Json): readonly Path[] {
  return [...placesIn(within)]
    .filter(({ json }) => isDeepStrictEqual(json, wanted))
    .map(({ path }) => path)
}

/** A copy with one place rewritten; the same value where there is no such place. */
export function rewritten(json: Json, path: Path, write: (old: Json) => Json): Json {
  const [step, ...rest] = path
  if (step === undefined) return write(json)
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, step)) return json
  if (Array.isArray(json)) {
    const items = json as readonly Json[]
    return items.map((item, at) => (at === step ? rewritten(item, rest, write) : item))
  }
  const members = json as JsonObject
  return { ...members, [step]: rewritten(members[step] as Json, rest, write) }
}
