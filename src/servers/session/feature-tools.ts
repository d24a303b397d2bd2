/**
 * The protocol's requests besides `tools/call`, each as a tool with a schema and the request that it stands for. Their
 * answers become structured content, so that they are bounded, cleaned and labelled like every answer. Pure.
 */
import {
  COMPLETE,
  GET_PROMPT,
  READ_RESOURCE,
  SUBSCRIBE_RESOURCE,
} from '../../text/feature-names.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import type { ToolOverride } from '../../kernel/server-definition.ts'
import { isJsonObject } from './json-bounds.ts'

interface FeatureTool {
  readonly method: string
  readonly description: string
  readonly inputSchema: JsonObject
  /** The members of the result that are its answer; the first has to be there. */
  readonly answers: readonly string[]
  readonly override: ToolOverride
}

const text = (maxLength: number): JsonObject => ({ type: 'string', minLength: 1, maxLength })
const uri: JsonObject = { type: 'object', properties: { uri: text(8192) }, required: ['uri'] }
const strings: JsonObject = { type: 'object', additionalProperties: { type: 'string' } }

/**
 * `read` is what MCP says that these requests do; a sandbox can prove more, and the owner can say otherwise. A URI names
 * something of its own server, so it is a target: where the server itself may go is its host list's affair.
 */
const read = (roles: NonNullable<ToolOverride['roles']>): ToolOverride => ({
  semantics: 'read',
  roles,
})

const FEATURES: ReadonlyMap<string, FeatureTool> = new Map<string, FeatureTool>([
  [
    READ_RESOURCE,
    {
      method: 'resources/read',
      description: 'Reads a resource of the server',
      inputSchema: uri,
      answers: ['contents'],
      override: read({ uri: 'target' }),
    },
  ],
  [
    SUBSCRIBE_RESOURCE,
    {
      method: 'resources/subscribe',
      description: 'Asks the server to tell when a resource changes',
      inputSchema: uri,
      answers: [],
      override: read({ uri: 'target' }),
    },
  ],
  [
    GET_PROMPT,
    {
      method: 'prompts/get',
      description: 'Gets a prompt of the server',
      inputSchema: {
        type: 'object',
        properties: { name: text(200), arguments: strings },
        required: ['name'],
      },
      answers: ['messages', 'description'],
      override: read({ name: 'target', arguments: 'query' }),
    },
  ],
  [
    COMPLETE,
    {
      method: 'completion/complete',
      description: 'Asks the server how an argument could go on',
      inputSchema: {
        type: 'object',
        properties: {
          ref: { type: 'object', additionalProperties: { type: 'string' }, required: ['type'] },
          argument: { ...strings, required: ['name', 'value'] },
          context: { type: 'object', properties: { arguments: strings } },
        },
        required: ['ref', 'argument'],
      },
      answers: ['completion'],
      override: read({ ref: 'target', argument: 'query', context: 'query' }),
    },
  ],
])

export function featureTool(name: string): FeatureTool | undefined {
  return FEATURES.get(name)
}

export interface ProtocolRequest {
  readonly method: string
  readonly params: JsonObject
  /** Written by Cordon for `_meta`; an argument never gets there. */
  readonly meta?: JsonObject
}

/** The request that a call of this tool is. */
export function requestFor(name: string, args: JsonObject, trace?: string): ProtocolRequest {
  const feature = FEATURES.get(name)
  const more = trace === undefined ? {} : { meta: { traceparent: trace } }
  if (feature) return { method: feature.method, params: args, ...more }
  return { method: 'tools/call', params: { name, arguments: args }, ...more }
}

/** The result of such a request in the form of a tool's; a tool's own result stays as it is. */
export function asToolAnswer(name: string, raw: Json): Json {
  const feature = FEATURES.get(name)
  if (!feature || !isJsonObject(raw)) return raw
  const [first] = feature.answers
  if (first !== undefined && raw[first] === undefined) return null
  const kept = feature.answers.filter((member) => raw[member] !== undefined)
  const structuredContent = Object.fromEntries(kept.map((member) => [member, raw[member] ?? null]))
  return { structuredContent, ...(raw['_meta'] !== undefined && { _meta: raw['_meta'] }) }
}
