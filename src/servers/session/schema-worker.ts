/**
 * Worker thread that checks schemas of the full kind. Schemas are untrusted, so no reference is ever fetched, and a
 * check that takes too long is ended from outside together with the thread. Patterns run on RE2, in linear time. A
 * pattern that RE2 has not (lookahead, back-reference, `\u0041`) runs on the engine of JavaScript, which may backtrack
 * for ever: only in a thread that was started for such schemas, so that no other schema waits behind it.
 */
import { parentPort, workerData } from 'node:worker_threads'
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
  /** The schema has a pattern that RE2 has not: the thread for backtracking patterns has to be asked. */
  readonly isBacktracking?: boolean
  /** Processor time that this thread has used so far, in milliseconds. */
  readonly cpuMs: number
}

/** Whether this thread may run patterns that can backtrack. */
export interface SchemaWorkerData {
  readonly mayBacktrack: boolean
}

const { mayBacktrack } = workerData as SchemaWorkerData
const NativeRegExp = RegExp
const BACKTRACKS = 'backtracks'

/** Replaces `RegExp` in the validator: a backtracking engine can take for ever on a hostile pattern (ReDoS). */
class BoundedPattern {
  readonly test: (text: string) => boolean
  constructor(source: string) {
    const linear = linearPattern(source)
    const native = linear ? undefined : nativePattern(source)
    if (!linear && !native) throw new SyntaxError('not a pattern')
    this.test = (text) => {
      if (linear) return linear.matcher(text).find()
      if (native && mayBacktrack) return native.test(text)
      throw new Error(BACKTRACKS)
    }
  }
}
// The global of this thread only: the validator has no option for another engine.
Object.defineProperty(globalThis, 'RegExp', { value: BoundedPattern })

function linearPattern(source: string): RE2JS | undefined {
  try {
    return RE2JS.compile(source)
  } catch {
    return undefined
  }
}

/** Patterns of older schemas escape characters that need none, which only the engine without `u` accepts. */
function nativePattern(source: string): RegExp | undefined {
  for (const flags of ['u', '']) {
    try {
      return new NativeRegExp(source, flags)
    } catch {
      // tried with the other flags, or not a pattern at all
    }
  }
  return undefined
}

const known = new Map<number, Validator | string>()

parentPort?.on('message', ({ key, schema, value }: SchemaQuestion) => {
  if (schema !== undefined) known.set(key, compile(schema))
  const said = answer(known.get(key), value)
  parentPort?.postMessage({ ...said, cpuMs: cpuMs() }, [])
})

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

function compile(schema: Json): Validator | string {
  try {
    const objection = objectionTo(schema)
    // `false` collects all errors: only then does the innermost come last.
    return objection ?? new Validator(schema as Schema | boolean, '2020-12', false)
  } catch {
    return 'cannot be followed'
  }
}

function answer(
  validator: Validator | string | undefined,
  value: Json,
): Omit<SchemaAnswer, 'cpuMs'> {
  if (validator === BACKTRACKS) return { isBacktracking: true }
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
  if (linearPattern(pattern)) return undefined
  if (!nativePattern(pattern)) return 'has a pattern that cannot be read'
  return mayBacktrack ? undefined : BACKTRACKS
}

parentPort?.postMessage(cpuMs(), []) // it is ready
