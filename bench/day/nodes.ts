/** Short forms for the nodes of a day's flows. */
import type { Json } from '../../src/text/json.ts'

type Params = Readonly<Record<string, Json>>

export interface DayNode {
  readonly id: string
  readonly type: string
  readonly params: Params
}

/** `tool` is `server.tool`. */
export function call(id: string, tool: string, params: Params = {}): DayNode {
  return { id, type: `mcp-${tool.replace('.', '-')}`, params }
}

/** Asks a model about the answer of a step, for the owner to read or to pass on. */
export function tell(id: string, prompt: string, from: string): DayNode {
  return { id, type: 'llm', params: { prompt, input: `\${${from}}` } }
}

/** The first item whose field is what the owner wrote. */
export function pick(id: string, from: string, field: string, value: string): DayNode {
  const where = { field, op: 'eq', value }
  return { id, type: 'select', params: { items: `\${${from}}`, where } }
}

/** Texts that a model reads out of an answer that is no data: `id` of a file in a list for people. */
export function read(id: string, instruction: string, from: string, ...names: string[]): DayNode {
  const properties = Object.fromEntries(names.map((name) => [name, { type: 'string' }]))
  const schema = { type: 'object', properties, required: names }
  return { id, type: 'extract', params: { instruction, input: `\${${from}}`, schema } }
}
