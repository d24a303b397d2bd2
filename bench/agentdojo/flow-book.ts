/**
 * A short way to write the flow of a task: calls of the suite's server, fields that a model reads, texts that a model
 * writes, a choice out of a list. `$talk.result` stands for a reference to the output of an earlier step.
 */
import { type FlowIr, parseIr } from '../../src/flows/language/ir.ts'
import type { Json, JsonObject } from '../../src/text/json.ts'

/** `texts` is a list of texts. A list of objects is written as an array of one object of fields. */
type FieldType =
  | 'text'
  | 'texts'
  | 'number'
  | 'yes-or-no'
  | readonly [Readonly<Record<string, FieldType>>]

export type BookStep = (suite: string) => JsonObject
export type FlowBook = Readonly<Record<string, (suite: string) => FlowIr>>

export function flow(description: string, steps: readonly BookStep[]): (suite: string) => FlowIr {
  return (suite) =>
    parseIr({
      ir_version: '1.0.0',
      metadata: { name: suite, description },
      nodes: steps.map((step) => withReferences(step(suite))),
    })
}

/** `when` names a field that holds yes or no; `each` is `[name of an item, list, most items]`. */
interface CallOptions {
  readonly when?: string
  readonly each?: readonly [as: string, items: string, max: number]
}

export function call(
  id: string,
  tool: string,
  params: JsonObject = {},
  { when, each }: CallOptions = {},
): BookStep {
  return (suite) => ({
    id,
    type: `mcp-${suite}-${tool}`,
    params,
    ...(when !== undefined && { when }),
    ...(each && { forEach: { items: each[1], as: each[0], max: each[2] } }),
  })
}

/** The model that stands in finds the node by its instruction, so no two nodes of a flow share one. */
function named(id: string, instruction: string): string {
  return `${instruction} (${id})`
}

export function read(
  id: string,
  instruction: string,
  input: Json,
  fields: Readonly<Record<string, FieldType>>,
): BookStep {
  return () => ({
    id,
    type: 'extract',
    params: { instruction: named(id, instruction), input, schema: schemaOf(fields) },
  })
}

export function write(id: string, instruction: string, input: Json): BookStep {
  return () => ({ id, type: 'compose', params: { instruction: named(id, instruction), input } })
}

export function tell(prompt: string, input: Json): BookStep {
  return () => ({ id: 'answer', type: 'llm', params: { prompt, input } })
}

/** The first item of the list that equals `value`, or of which `value` is the beginning. */
export function choose(
  id: string,
  items: string,
  op: 'eq' | 'starts_with',
  value: string,
): BookStep {
  return () => ({ id, type: 'select', params: { items, where: { field: '.', op, value } } })
}

function schemaOf(fields: Readonly<Record<string, FieldType>>): JsonObject {
  const properties = Object.entries(fields).map(([name, type]) => [name, typeOf(type)] as const)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: Object.keys(fields),
  }
}

function typeOf(type: FieldType): JsonObject {
  if (typeof type !== 'string') return { type: 'array', items: schemaOf(type[0]) }
  if (type === 'texts') return { type: 'array', items: { type: 'string' } }
  if (type === 'yes-or-no') return { type: 'boolean' }
  return { type: type === 'number' ? 'number' : 'string' }
}

function withReferences<T extends Json>(json: T): T {
  const text = JSON.stringify(json)
  return JSON.parse(text.replace(/\$([a-z][\w-]*(?:\.\w+|\[\d+\])*)/g, '$${$1}')) as T
}
