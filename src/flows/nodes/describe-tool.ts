/**
 * Describes a tool of a server as a node. Its keys are the tool's own names: a property with a default is a param, the
 * others are inputs, read from the store. Text that the server wrote is sanitised, and for people only.
 */
import { isRead } from '../../kernel/effect.ts'
import { seenLine } from '../../text/untrusted-text.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import type { ToolDescription } from '../../kernel/server-state.ts'
import type { ToolFacts } from '../../kernel/tool-facts.ts'
import { DEFAULT_ACTION, ERROR_ACTIONS } from '../engine/error-actions.ts'
import { nodeId } from './node-id.ts'
import type { NodeDescriptor, NodeInput, NodeOutput, NodeParam } from './node-descriptor.ts'
import { isObject, typeOfSchema } from '../language/value-type.ts'

const MAX_KEYS = 100
const MAX_LINE = 200

export interface Trust {
  /** The owner trusts the server's hint that the tool only reads (`--trust-pure`, `--trust-readonly`). */
  readonly isTrustedPure?: boolean
}

export function descriptorFor(
  tool: ToolDescription,
  facts: ToolFacts,
  { isTrustedPure = false }: Trust = {},
): NodeDescriptor {
  const { name } = facts.id
  const properties = propertiesOf(tool.inputSchema)
  const isPure =
    isTrustedPure && isRead(facts.effect) && tool.annotations?.['readOnlyHint'] === true
  const description = lineOf(tool.description)
  return {
    id: nodeId(facts.id),
    kind: 'mcp',
    title: name,
    ...(description !== undefined && { description }),
    aliases: [],
    inputs: properties.flatMap(([key, schema]) => inputFrom(key, schema, tool, facts)),
    params: properties.flatMap(([key, schema]) => paramFrom(key, schema, facts)),
    ...answersOf(tool),
    actions: [DEFAULT_ACTION, ...ERROR_ACTIONS],
    purity: isPure ? 'pure' : 'impure',
    effect: facts.effect,
    sideEffects: facts.isLocal === true ? [] : ['network'],
    pin: {
      tool: facts.id,
      serverName: facts.serverName,
      hash: facts.hash,
      serverPin: facts.serverPin,
      ...(facts.version !== undefined && { version: facts.version }),
    },
  }
}

function inputFrom(
  name: string,
  schema: Json,
  { inputSchema }: ToolDescription,
  { roles }: ToolFacts,
): readonly NodeInput[] {
  if (defaultOf(schema) !== undefined) return []
  const required = inputSchema['required']
  return [
    {
      name,
      type: typeOfSchema(schema),
      required: Array.isArray(required) && required.includes(name),
      role: roles.get(name) ?? 'target',
      ...describedBy(schema),
    },
  ]
}

function paramFrom(name: string, schema: Json, { roles }: ToolFacts): readonly NodeParam[] {
  const value = defaultOf(schema)
  if (value === undefined) return []
  const role = roles.get(name) ?? 'target'
  return [{ name, type: typeOfSchema(schema), default: value, role, ...describedBy(schema) }]
}

/** The whole answer as `result`, text as text; its top-level fields if the server declares an output schema. */
function answersOf({
  outputSchema,
}: ToolDescription): Pick<NodeDescriptor, 'outputs' | 'answerSchema'> {
  if (!outputSchema) return { outputs: [{ name: 'result', type: 'any', asText: true }] }
  const fields = propertiesOf(outputSchema)
  const named = fields
    .filter(([name]) => name !== 'result')
    .map(([name, schema]) => ({ name, type: typeOfSchema(schema) }))
  const whole: NodeOutput = { name: 'result', type: fields.length > 0 ? 'object' : 'any' }
  return { outputs: [whole, ...named], answerSchema: outputSchema }
}

/** Properties with other names are left out: a server could write a sentence as a name. */
const PLAIN_NAME = /^[\w.$-]{1,64}$/

function propertiesOf({ properties }: JsonObject): readonly (readonly [string, Json])[] {
  const all = isObject(properties) ? Object.entries(properties) : []
  return all.filter(([name]) => PLAIN_NAME.test(name)).slice(0, MAX_KEYS)
}

function defaultOf(schema: Json): Json | undefined {
  return isObject(schema) ? schema['default'] : undefined
}

function describedBy(schema: Json): { readonly description?: string } {
  const text = isObject(schema) ? lineOf(schema['description']) : undefined
  return text === undefined ? {} : { description: text }
}

function lineOf(text: Json | undefined): string | undefined {
  const line = typeof text === 'string' ? seenLine(text, MAX_LINE) : ''
  return line === '' ? undefined : line
}
