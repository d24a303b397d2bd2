/**
 * The shape of a flow as it is written, and the JSON Schema that is published of it. Unknown fields are kept: a newer
 * version may have written them. Never judges whether the flow makes sense; the checker does.
 */
import { z } from 'zod'
import type { JsonObject } from '../../text/json.ts'
import { LEVELS } from '../../labels/label.ts'
import { COMPARISONS } from '../operators/compare.ts'
import { placeOf } from './json-place.ts'

export const MAX_NODES = 1000
const MAX_EDGES = 5000
const MAX_ITEMS = 1000
const MAX_LOOP = 100

/** Names of nodes, inputs, outputs and keys of the store: everything that a reference can name. */
const NAME = z
  .string()
  .regex(/^[A-Za-z0-9_-]{1,64}$/, 'expected 1 to 64 letters, digits, "-" or "_"')
const TEXT = z.string().max(10_000)
const VALUE = z.unknown()
const VALUES = z.record(z.string(), VALUE)
const SEMVER = z
  .string()
  .regex(/^\d{1,6}\.\d{1,6}\.\d{1,6}$/, 'expected a version like "1.0.0"')
  .describe('Absent: 1.0.0. A reader refuses a higher major version than it knows.')

const EFFECT = z.enum(['local-read', 'remote-read', 'write', 'destructive', 'exec'])

const METADATA = z.looseObject({
  name: TEXT.exactOptional(),
  description: TEXT.exactOptional(),
  planner_version: TEXT.exactOptional(),
  created_at: TEXT.exactOptional(),
  prompt: TEXT.exactOptional(),
  safety: z
    .looseObject({
      effect: EFFECT.exactOptional(),
      level: z.enum(LEVELS).exactOptional(),
      sinks: z.array(TEXT).max(MAX_NODES).exactOptional(),
    })
    .describe('The most that the flow says it does. One that does more is refused.')
    .exactOptional(),
})

const INPUT = z.looseObject({
  type: TEXT.exactOptional(),
  required: z.boolean().exactOptional(),
  default: VALUE.optional(),
  description: TEXT.exactOptional(),
  stdin: z.boolean().describe('Whether what is piped in becomes its value.').exactOptional(),
})

const OUTPUT = z.looseObject({
  type: TEXT.exactOptional(),
  description: TEXT.exactOptional(),
  source: TEXT.describe('A reference such as `${node.key}`.').exactOptional(),
})

const EXECUTION = z.looseObject({
  max_retries: z.int().min(0).max(10).exactOptional(),
  use_cache: z.boolean().exactOptional(),
  wait: z.number().min(0).max(3600).describe('Seconds before a retry.').exactOptional(),
})

const FOR_EACH = z.looseObject({
  items: VALUE.describe('A list, or a reference to one.'),
  as: NAME.describe('What one item is called; `item` where absent.').exactOptional(),
  parallel: z.boolean().exactOptional(),
  max_concurrent: z.int().min(1).max(100).exactOptional(),
  max: z
    .int()
    .min(1)
    .max(MAX_ITEMS)
    .describe('At most so many items; 20 where absent.')
    .exactOptional(),
  error_handling: z.enum(['fail_fast', 'continue']).exactOptional(),
})

const WHEN = z.union([
  TEXT.describe('A reference; the node runs where it is true.'),
  z.looseObject({
    left: VALUE,
    op: z.enum(COMPARISONS).exactOptional(),
    right: VALUE.optional(),
  }),
])

const MCP_METADATA = z.looseObject({
  server_id: TEXT.exactOptional(),
  tool_name: TEXT.exactOptional(),
  version: TEXT.exactOptional(),
  manifest_hash: TEXT.exactOptional(),
})

const NODE = z.looseObject({
  id: NAME,
  type: TEXT.exactOptional(),
  registry_id: TEXT.exactOptional(),
  version: TEXT.exactOptional(),
  params: VALUES.exactOptional(),
  execution: EXECUTION.exactOptional(),
  batch: FOR_EACH.exactOptional(),
  forEach: FOR_EACH.exactOptional(),
  when: WHEN.exactOptional(),
  mcp_metadata: MCP_METADATA.exactOptional(),
})

const EDGE = z.looseObject({
  from: NAME,
  to: NAME,
  action: NAME.describe(
    'Taken when the node ends with this; `default` where absent.',
  ).exactOptional(),
  max: z
    .int()
    .min(1)
    .max(MAX_LOOP)
    .describe('How often it may be taken. Every circle needs an edge that has one.')
    .exactOptional(),
})

/** A natural key: the name that the node itself uses. */
const NATURAL = z.string().regex(/^[\w.$-]{1,64}$/, 'expected a plain name')
const KEYS = z.record(NATURAL, NAME)
const MAPPING = z.looseObject({
  input_mappings: KEYS.exactOptional(),
  output_mappings: KEYS.exactOptional(),
})

const FLOW = z.looseObject({
  $schema: TEXT.exactOptional(),
  ir_version: SEMVER.exactOptional(),
  answers: z
    .enum(['blocks'])
    .describe('`blocks`: the answer of a tool in text is a list of content blocks, not a text.')
    .exactOptional(),
  metadata: METADATA.exactOptional(),
  inputs: z.record(NAME, INPUT).exactOptional(),
  outputs: z.record(NAME, OUTPUT).exactOptional(),
  nodes: z
    .array(z.union([NAME.describe('A node whose id is its type.'), NODE]))
    .max(MAX_NODES)
    .exactOptional(),
  edges: z
    .array(EDGE)
    .max(MAX_EDGES)
    .describe('Where absent, the nodes run in the order they are written in.')
    .exactOptional(),
  mappings: z
    .record(NAME, MAPPING)
    .describe('By node: which key of the store each natural key stands for.')
    .exactOptional(),
})

export interface ShapeProblem {
  readonly place: string
  readonly message: string
}

/** The first place where the flow does not have this shape. */
export function shapeProblem(flow: unknown): ShapeProblem | undefined {
  const issue = FLOW.safeParse(flow).error?.issues.map(nearest)[0]
  return issue && { place: placeOf(issue.path), message: issue.message }
}

/** Of the alternatives of a union, the issue with the longest path: that alternative matched furthest. */
function nearest(issue: z.core.$ZodIssue): { path: readonly PropertyKey[]; message: string } {
  if (issue.code !== 'invalid_union') return issue
  const inner = issue.errors.flat().sort((a, b) => b.path.length - a.path.length)[0]
  if (!inner) return issue
  const deeper = nearest(inner)
  return { path: [...issue.path, ...deeper.path], message: deeper.message }
}

export function renderIrSchema(): JsonObject {
  const schema = JSON.stringify({
    title: 'A flow of Cordon',
    ...z.toJSONSchema(FLOW, { io: 'input' }),
  })
  return JSON.parse(schema) as JsonObject
}
