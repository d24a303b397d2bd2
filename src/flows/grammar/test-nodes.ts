/** Nodes for tests of the grammar, taken from the introductory examples. Never shipped. */
import assert from 'node:assert/strict'
import type { Describe, NodeShape } from './node-shape.ts'
import { parseFlow } from './parse-flow.ts'
import type { GrammarProblem } from './problem.ts'
import { type FlowReading, type IrOptions, type IrResult, toIr } from './to-ir.ts'

export const NODES: Readonly<Record<string, NodeShape>> = {
  'mcp-github-search-code': {
    inputs: ['query', 'language'],
    required: ['query'],
    outputs: ['search_results'],
    params: { max_results: 10, archived: false, labels: undefined, filter: undefined },
    types: {
      query: 'string',
      language: 'string',
      max_results: 'integer',
      archived: 'boolean',
      labels: 'string[]',
      filter: 'object',
    },
    choices: { language: ['python', 'perl', 'c sharp'] },
  },
  'summarize-text': {
    inputs: ['text'],
    outputs: ['summary'],
    params: { style: 'short' },
    types: { text: 'string', style: 'string' },
  },
  llm: {
    inputs: ['prompt', 'text'],
    required: ['prompt'],
    outputs: ['text'],
    params: { model: 'default', temperature: 1 },
    types: { prompt: 'string', text: 'string', model: 'string', temperature: 'number' },
  },
  'mcp-slack-send-message': {
    inputs: ['message', 'channel'],
    outputs: ['message_id'],
    params: {},
    types: { message: 'string', channel: 'string' },
  },
  'mcp-stripe-create-customer': { inputs: ['email'], params: {}, types: { email: 'string' } },
  'mcp-weather-get': {
    inputs: ['$where', 'stdin'],
    required: ['$where'],
    params: {},
    types: { $where: 'string' },
  },
  wait: { inputs: [], params: { seconds: 1 }, types: { seconds: 'number' } },
}

const OTHER_NAMES: Readonly<Record<string, string>> = {
  summarize: 'summarize-text',
  'mcp_github.search_code': 'mcp-github-search-code',
  'mcp_stripe.create_customer': 'mcp-stripe-create-customer',
}

export function describeNode(name: string): NodeShape | undefined {
  const id = Object.hasOwn(OTHER_NAMES, name) ? (OTHER_NAMES[name] ?? name) : name
  const shape = Object.hasOwn(NODES, id) ? NODES[id] : undefined
  return shape && { ...shape, id }
}

/** Knows only the given nodes. */
export function describeOnly(shapes: Readonly<Record<string, NodeShape>>): Describe {
  return (name) => shapes[name]
}

/** The IR of a text without problems. */
export function readFlow(text: string, options?: IrOptions, describe?: Describe): FlowReading {
  const result = resultOf(text, options, describe)
  assert.ok(result.kind === 'ir', JSON.stringify(result))
  return result.reading
}

/** The problems of a text that is syntactically correct but cannot be resolved. */
export function problemsIn(
  text: string,
  options?: IrOptions,
  describe?: Describe,
): readonly GrammarProblem[] {
  const result = resultOf(text, options, describe)
  assert.ok(result.kind === 'problems', JSON.stringify(result))
  return result.problems
}

function resultOf(text: string, options?: IrOptions, describe: Describe = describeNode): IrResult {
  const read = parseFlow(text)
  assert.ok(read.kind === 'flow', JSON.stringify(read))
  return toIr(read.flow, describe, options)
}
