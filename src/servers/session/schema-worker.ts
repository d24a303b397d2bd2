/**
 * Worker thread that checks schemas of the full kind. Schemas are untrusted, so no reference is ever fetched, and a
 * check that takes too long is ended from outside together with the thread. Patterns run on RE2, in linear time.
 */
import { parentPort } from 'node:worker_threads'
import { type Schema, Validator } from '@cfworker/json-schema'
import { RE2JS } from 're2js'
import type { Json, JsonObject } from '../../text/json.ts'

const MAX_DEPTH = 64
const MAX_NODES = 20_000
const MAX_REFERENCES = 500

export interface SchemaQuestion {
  readonly key: number
  /** Sent only with the first question about this schema. */
  readonly schema?: Json
  readonly value: Json
}

export interface SchemaAnswer {
  readonly problem?: string
}

/** Replaces `RegExp` in the validator: a backtracking engine can take for ever on a hostile pattern (ReDoS). */
class LinearPattern {
  readonly #pattern: RE2JS
  constructor(source: string) {
    this.#pattern = RE2JS.compile(source)
  }
  test(text: string): boolean {
    return this.#pattern.matcher(text).find()
  }
}
// The global of this thread only: the validator has no option for another engine.
Object.defineProperty(globalThis, 'RegExp', { value: LinearPattern })

const known = new Map<number, Validator | string>()

parentPort?.on('message', ({ key, schema, value }: SchemaQuestion) => {
  if (schema !== undefined) known.set(key, compile(schema))
  parentPort?.postMessage(answer(known.get(key), value), [])
})

function compile(schema: Json): Validator | string {
  try {
    const objection = objectionTo(schema)
    // `false` collects all errors: only then does the innermost come last.
    return objection ?? new Validator(schema as Schema | boolean, '2020-12', false)
  } catch {
    return 'cannot be followed'
  }
}

function answer(validator: Validator | string | undefined, value: Json): SchemaAnswer {
  if (!(validator instanceof Validator)) return { problem: `the schema ${validator ?? 'is gone'}` }
  try {
    const { valid, errors } = validator.validate(value)
    const error = errors.at(-1)
    return valid
      ? {}
      : { problem: `${error?.instanceLocation ?? '#'} (${error?.keyword ?? 'rule'})` }
  } catch {
    return { problem: 'the schema cannot be followed' }
  }
}

const REFERENCES = ['$ref', '$dynamicRef', '$recursiveRef']

/** The reason to refuse a schema, or undefined. */
function objectionTo(schema: Json): string | undefined {
  let [nodes, references] = [0, 0]
  const visit = (node: Json, depth: number): string | undefined => {
    nodes += 1
    if (typeof node !== 'object' || node === null) return undefined
    if (depth === 0 || nodes > MAX_NODES || references > MAX_REFERENCES) return 'is too large'
    for (const [key, part] of Object.entries(node as JsonObject)) {
      if (REFERENCES.includes(key)) references += 1
      const found = objectionToPart(key, part) ?? visit(part, depth - 1)
      if (found) return found
    }
    return undefined
  }
  return visit(schema, MAX_DEPTH)
}

/** A property may be named like a keyword too; its value is then a schema object, which is not refused here. */
function objectionToPart(key: string, part: Json): string | undefined {
  if (typeof part === 'string') {
    if (key === 'pattern') return objectionToPattern(part)
    const isElsewhere = REFERENCES.includes(key) && !part.startsWith('#')
    return isElsewhere ? 'refers to a document elsewhere' : undefined
  }
  if (key !== 'patternProperties' || typeof part !== 'object' || part === null) return undefined
  return Object.keys(part).map(objectionToPattern).find(Boolean)
}

function objectionToPattern(pattern: string): string | undefined {
  try {
    RE2JS.compile(pattern)
    return undefined
  } catch {
    return 'has a pattern that cannot be checked in bounded time'
  }
}

parentPort?.postMessage('ready', [])
