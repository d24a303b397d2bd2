/**
 * Reads the JSON value of an answer and checks it against its schema. Says where it does not fit and never quotes it.
 * The form of texts is left to the caller: a pattern may come from a server, and a hostile one could take for ever; a
 * date without a time zone is one here and none by the format's own rule. Pure.
 */
import { type Schema, Validator } from '@cfworker/json-schema'
import { isDeeperThan } from '../text/bounded-json.ts'
import type { Json, JsonObject } from '../text/json.ts'
import type { ModelQuestion } from '../ports/model-port.ts'

export type ValueReading =
  | { readonly kind: 'value'; readonly value: Json }
  | { readonly kind: 'misfit'; readonly problem: string }

const MAX_DEPTH = 32

export function readValue(
  text: string,
  { schema, misfit }: Pick<ModelQuestion, 'schema' | 'misfit'>,
): ValueReading {
  const value = parseJson(text)
  if (value === undefined) return { kind: 'misfit', problem: 'it is not one JSON value' }
  if (isDeeperThan(value, MAX_DEPTH)) return { kind: 'misfit', problem: 'it is nested too deeply' }
  const problem = (schema && schemaProblem(value, schema)) ?? misfit?.(value)
  return problem === undefined ? { kind: 'value', value } : { kind: 'misfit', problem }
}

/** Some models wrap JSON in a code block despite the instruction. */
function parseJson(text: string): Json | undefined {
  const bare = /^\s*```(?:json)?[^\S\n]*\n([\s\S]*?)```\s*$/.exec(text)?.[1] ?? text
  try {
    return JSON.parse(bare) as Json
  } catch {
    return undefined
  }
}

/** By schema: that of plans comes with every message. */
const validators = new WeakMap<JsonObject, Validator>()

function schemaProblem(value: Json, schema: JsonObject): string | undefined {
  const validator =
    validators.get(schema) ?? new Validator(withoutTexts(schema) as Schema, '2020-12')
  validators.set(schema, validator)
  const { valid, errors } = validator.validate(value)
  if (valid) return undefined
  // The last error is the innermost one: the others say that something inside does not fit.
  const { instanceLocation, keyword } = errors.at(-1) ?? { instanceLocation: '#', keyword: 'type' }
  const place =
    instanceLocation === '#' ? 'the answer' : instanceLocation.slice(2).replaceAll('/', '.')
  return `${place} breaks the rule ${JSON.stringify(keyword)} of the schema`
}

const TEXTS: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'format'])
/** Their members are names of fields, not rules. */
const NAMED: ReadonlySet<string> = new Set([
  'properties',
  '$defs',
  'definitions',
  'dependentSchemas',
])
/** Their values are data. */
const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default', 'examples'])

function withoutTexts(schema: Json): Json {
  if (Array.isArray(schema)) return schema.map(withoutTexts)
  if (typeof schema !== 'object' || schema === null) return schema
  const rules = Object.entries(schema).filter(([rule]) => !TEXTS.has(rule))
  return Object.fromEntries(
    rules.map(([rule, inside]) => [rule, DATA.has(rule) ? inside : insideOf(rule, inside)]),
  )
}

function insideOf(rule: string, inside: Json): Json {
  const isNamed = NAMED.has(rule) && typeof inside === 'object' && inside !== null
  if (!isNamed || Array.isArray(inside)) return withoutTexts(inside)
  return Object.fromEntries(
    Object.entries(inside).map(([name, schema]) => [name, withoutTexts(schema)]),
  )
}
