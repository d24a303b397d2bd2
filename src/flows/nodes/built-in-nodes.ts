/** The nodes that need no server: models that read and write, files, memory, and the pure operators. Data only. */
import { DEFAULT_ACTION, ERROR_ACTIONS } from '../engine/error-actions.ts'
import type { NodeDescriptor, NodeInput, NodeParam } from './node-descriptor.ts'
import { CONDITION_EXAMPLE } from '../operators/read-condition.ts'
import { OPERATORS, type OperatorName } from '../operators/operation.ts'

function input(name: string, type: string, description: string): NodeInput {
  return { name, type, required: true, role: 'content', description }
}

function optional(one: NodeInput): NodeInput {
  return { ...one, required: false }
}

/** A param that is null unless the flow sets it. */
function param(name: string, type: string, description: string): NodeParam {
  const orNull = type === 'any' ? type : `${type}|null`
  return { name, type: orNull, default: null, role: 'content', description }
}

/** Marks the input that takes the output of the previous step. */
function main(one: NodeInput): NodeInput {
  return { ...one, isMain: true }
}

function target(one: NodeInput): NodeInput {
  return { ...one, role: 'target' }
}

const MODEL_ACTIONS = [DEFAULT_ACTION, ...ERROR_ACTIONS]
const MODEL_PARAMS: readonly NodeParam[] = [
  param('model', 'string', 'A model profile'),
  { name: 'temperature', type: 'number', default: 0.3, role: 'content' },
]

function model(
  id: string,
  title: string,
  rest: Pick<NodeDescriptor, 'inputs' | 'outputs'> & Partial<NodeDescriptor>,
): NodeDescriptor {
  return {
    id,
    kind: 'model',
    title,
    aliases: [],
    actions: MODEL_ACTIONS,
    purity: 'impure',
    effect: 'local-read',
    ...rest,
    params: [...(rest.params ?? []), ...MODEL_PARAMS],
  }
}

const MODELS: readonly NodeDescriptor[] = [
  model('llm', 'Ask a model', {
    aliases: ['text-processor'],
    inputs: [optional(main(input('input', 'any', 'What to do it with')))],
    params: [param('prompt', 'string', 'What to do')],
    outputs: [{ name: 'response', type: 'string' }],
  }),
  model('extract', 'Read fields out of a text', {
    inputs: [main(input('input', 'any', 'What to read'))],
    params: [
      param('schema', 'object', 'The fields, as JSON Schema'),
      param('instruction', 'string', 'What to look for'),
    ],
    outputs: [{ name: 'result', type: 'any' }],
  }),
  model('compose', 'Write a text', {
    inputs: [
      input('instruction', 'string', 'What to write'),
      optional(main(input('input', 'any', 'What to write it from'))),
    ],
    outputs: [{ name: 'text', type: 'string' }],
  }),
  model('summarize-text', 'Summarize', {
    aliases: ['summarize'],
    inputs: [main(input('text', 'any', 'What to summarize'))],
    params: [param('instruction', 'string', 'What matters in it')],
    outputs: [{ name: 'summary', type: 'string' }],
  }),
]

const FILES: readonly NodeDescriptor[] = [
  {
    id: 'read-file',
    kind: 'file',
    title: 'Read a file',
    aliases: [],
    inputs: [target(input('path', 'string', 'Within the folders a flow may read'))],
    params: [],
    outputs: [{ name: 'content', type: 'string' }],
    actions: [DEFAULT_ACTION, 'resource_missing', 'forbidden', 'error'],
    purity: 'impure',
    effect: 'local-read',
  },
  {
    id: 'write-file',
    kind: 'file',
    title: 'Write a file',
    aliases: [],
    inputs: [
      target(input('path', 'string', 'Within the folders a flow may write')),
      main(input('content', 'any', 'What to write')),
    ],
    params: [],
    outputs: [{ name: 'path', type: 'string' }],
    actions: [DEFAULT_ACTION, 'forbidden', 'error'],
    purity: 'impure',
    effect: 'write',
  },
]

const REMEMBER: NodeDescriptor = {
  id: 'remember',
  kind: 'memory',
  title: 'Keep facts, one for each line',
  aliases: [],
  inputs: [main(input('text', 'any', 'At most 20 lines, each one sentence'))],
  params: [],
  outputs: [
    { name: 'kept', type: 'integer' },
    { name: 'left_out', type: 'integer' },
  ],
  actions: [DEFAULT_ACTION, 'error'],
  purity: 'impure',
  effect: 'write',
}

const ITEMS = main(input('items', 'array', 'The list to work on'))
const OPERATOR_WORDS: Readonly<Record<OperatorName, readonly [title: string, type: string]>> = {
  select: ['The first item that meets a condition', 'any'],
  filter: ['The items that meet a condition', 'array'],
  map: ['Every item in another form', 'array'],
  sort: ['The items in order of a field', 'array'],
  argmax: ['The item with the most of a field', 'any'],
  argmin: ['The item with the least of a field', 'any'],
  format: ['A text with values in it', 'string'],
  count: ['How many items there are', 'integer'],
  first: ['The first item', 'any'],
  last: ['The last item', 'any'],
  unique: ['The items without repetitions', 'array'],
  pick: ['Only these fields', 'any'],
  join: ['All items as one text', 'string'],
  json: ['What a text spells as JSON', 'any'],
  lines: ['The lines of a text', 'string[]'],
}

const WHERE = param('where', 'string|object|array', `A condition: ${CONDITION_EXAMPLE}`)
const BY = param('by', 'string', 'A field')

/** The params of an operator are written in the flow itself and never read from the store. */
const OPERATOR_PARAMS: Readonly<Record<OperatorName, readonly NodeParam[]>> = {
  select: [WHERE],
  filter: [WHERE],
  map: [param('to', 'any', 'What an item becomes'), param('as', 'string', 'The name of an item')],
  sort: [BY, param('order', 'string', '"asc" or "desc"')],
  argmax: [BY],
  argmin: [BY],
  format: [param('template', 'string', 'A text with references')],
  count: [],
  first: [],
  last: [],
  unique: [BY],
  pick: [param('fields', 'string[]', 'Names of fields')],
  join: [param('separator', 'string', 'What stands between two items')],
  json: [],
  lines: [],
}

/** The operators that do not only take a list. */
const TAKES: Partial<Record<OperatorName, string>> = {
  pick: 'object|array',
  json: 'any',
  lines: 'string|array',
}

function operator(id: OperatorName): NodeDescriptor {
  const [title, type] = OPERATOR_WORDS[id]
  const taken = TAKES[id]
  const items =
    taken === undefined ? ITEMS : { ...ITEMS, type: taken, description: 'What to work on' }
  return {
    id,
    kind: 'operator',
    title,
    aliases: [],
    inputs: id === 'format' ? [] : [items],
    params: OPERATOR_PARAMS[id],
    outputs: [{ name: 'result', type }],
    actions: [DEFAULT_ACTION, 'error'],
    purity: 'pure',
    effect: 'local-read',
  }
}

export const BUILT_IN_NODES: readonly NodeDescriptor[] = [
  ...MODELS,
  ...FILES,
  REMEMBER,
  ...OPERATORS.map(operator),
]
