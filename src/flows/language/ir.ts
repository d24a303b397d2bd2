/**
 * A flow as one JSON document (the IR), the form that chat plans, saved flows and command lines are all converted to.
 * `parseIr` normalises it and is idempotent. Unknown fields are kept.
 */
import type { Effect } from '../../kernel/effect.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import type { Level } from '../../labels/label.ts'
import type { Comparison } from '../operators/compare.ts'
import { flowError, shown } from '../flow-errors.ts'
import { shapeProblem } from './ir-shape.ts'
import { oddPlace } from './plain-json.ts'

export const IR_VERSION = '1.0.0'
/** Of flows as they are saved. Up to 1.0.0, answers in text were lists of content blocks. */
export const SAVED_VERSION = '1.1.0'

export interface FlowIr {
  readonly ir_version: string
  readonly metadata: FlowMetadata
  readonly inputs: Readonly<Record<string, FlowInput>>
  readonly outputs: Readonly<Record<string, FlowOutput>>
  readonly nodes: readonly FlowNode[]
  readonly edges: readonly FlowEdge[]
  /** By id of the node. */
  readonly mappings: Readonly<Record<string, NodeMapping>>
  /** `blocks`: answers in text are lists of content blocks, as in flows that were saved before version 1.1.0. */
  readonly answers?: 'blocks'
}

export interface FlowMetadata {
  readonly name?: string
  readonly description?: string
  readonly planner_version?: string
  readonly created_at?: string
  readonly prompt?: string
  readonly safety?: Claim
}

/** The limits that a flow declares about itself; a flow that exceeds them is refused. */
export interface Claim {
  readonly effect?: Effect
  readonly level?: Level
  readonly sinks?: readonly string[]
}

export interface FlowInput {
  readonly type?: string
  readonly required?: boolean
  readonly default?: Json
  readonly description?: string
  readonly stdin?: boolean
}

export interface FlowOutput {
  readonly type?: string
  readonly description?: string
  readonly source?: string
}

export interface FlowNode {
  readonly id: string
  /** The name of a node type as people write it, or `mcp_wrapper` if `mcp_metadata` names the tool. */
  readonly type: string
  readonly version?: string
  readonly params: JsonObject
  readonly execution?: {
    readonly max_retries?: number
    readonly use_cache?: boolean
    readonly wait?: number
  }
  readonly forEach?: ForEach
  readonly when?: Guard
  readonly mcp_metadata?: McpMetadata
}

export const MCP_WRAPPER = 'mcp_wrapper'

/** The name of a node for people: `github.search` for a tool that is meant by its server and name, else its type. */
export function nodeTitle({ type, mcp_metadata = {} }: FlowNode): string {
  const { server_id, tool_name } = mcp_metadata
  const isTool = type === MCP_WRAPPER && server_id !== undefined && tool_name !== undefined
  return isTool ? `${server_id}.${tool_name}` : type
}

export interface ForEach {
  readonly items: Json
  readonly as: string
  readonly parallel: boolean
  readonly max_concurrent: number
  readonly max: number
  readonly error_handling?: 'fail_fast' | 'continue'
}

export interface Guard {
  readonly left: Json
  readonly op: Comparison
  readonly right: Json
}

/** The tool that is meant, as it was when the flow was made. */
export interface McpMetadata {
  readonly server_id?: string
  readonly tool_name?: string
  readonly version?: string
  readonly manifest_hash?: string
}

export interface FlowEdge {
  readonly from: string
  readonly to: string
  readonly action?: string
  /** How often the edge may be taken. Every edge that leads back needs one. */
  readonly max?: number
}

/** `{natural key: key of the store}`, for inputs and for outputs. */
export interface NodeMapping {
  readonly input_mappings?: Readonly<Record<string, string>>
  readonly output_mappings?: Readonly<Record<string, string>>
}

export function parseIr(input: unknown): FlowIr {
  const odd = oddPlace(input)
  if (odd) throw unreadable(odd.place, odd.message)
  const flow = unwrapped(input)
  assertVersion(flow['ir_version'])
  const problem = shapeProblem(flow)
  if (problem) throw unreadable(problem.place, problem.message)
  return normalised(flow)
}

/** A flow as written, after its shape was checked and before it is normalised. */
type WrittenFlow = Partial<Omit<FlowIr, 'nodes'>> & {
  readonly nodes?: readonly (string | WrittenNode)[]
}
type WrittenNode = Partial<Omit<FlowNode, 'when' | 'forEach'>> & {
  readonly id: string
  readonly registry_id?: string
  readonly batch?: WrittenForEach
  readonly forEach?: WrittenForEach
  readonly when?: string | (Partial<Guard> & { readonly left: Json })
}
type WrittenForEach = Partial<ForEach> & { readonly items: Json }

function normalised(flow: WrittenFlow): FlowIr {
  const nodes = (flow.nodes ?? []).map(nodeFrom)
  assertDistinct(nodes)
  return {
    ...flow,
    ir_version: flow.ir_version ?? IR_VERSION,
    metadata: flow.metadata ?? {},
    inputs: flow.inputs ?? {},
    outputs: flow.outputs ?? {},
    nodes,
    edges: flow.edges ?? chain(nodes),
    mappings: flow.mappings ?? {},
  }
}

function nodeFrom(written: string | WrittenNode, index: number): FlowNode {
  if (typeof written === 'string') return { id: written, type: written, params: {} }
  const { registry_id: _named, batch, forEach, when, ...rest } = written
  if (batch && forEach)
    throw unreadable(`nodes[${index}].batch`, 'is written twice, also as forEach')
  const each = batch ?? forEach
  return {
    ...rest,
    type: typeFrom(written),
    params: written.params ?? {},
    ...(each && { forEach: forEachFrom(each) }),
    ...(when !== undefined && { when: guardFrom(when) }),
  }
}

function typeFrom({ id, type, registry_id, mcp_metadata }: WrittenNode): string {
  if (type !== undefined && type !== MCP_WRAPPER) return type
  const isWrapper = type === MCP_WRAPPER && mcp_metadata !== undefined
  return registry_id ?? (isWrapper ? MCP_WRAPPER : id)
}

function forEachFrom(each: WrittenForEach): ForEach {
  return { as: 'item', parallel: false, max_concurrent: 10, max: 20, ...each }
}

function guardFrom(when: Exclude<WrittenNode['when'], undefined>): Guard {
  if (typeof when === 'string') return { left: when, op: 'eq', right: true }
  return { op: 'eq', right: true, ...when }
}

function chain(nodes: readonly FlowNode[]): readonly FlowEdge[] {
  return nodes.slice(1).map(({ id }, index) => ({ from: nodes[index]?.id ?? id, to: id }))
}

/** Also accepts `{ "my flow": { "nodes": … } }`; the key becomes the name of the flow. */
function unwrapped(input: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(input)) throw unreadable('', 'expected an object')
  const [[name, inner] = ['', undefined], ...others] = Object.entries(input)
  if (others.length > 0 || !isRecord(inner) || !Array.isArray(inner['nodes'])) return input
  const { metadata = {} } = inner
  return isRecord(metadata) ? { ...inner, metadata: { name, ...metadata } } : inner
}

function assertVersion(version: unknown): void {
  const major = typeof version === 'string' ? /^(\d+)\.\d+\.\d+$/.exec(version)?.[1] : undefined
  if (major === undefined || Number(major) <= Number.parseInt(IR_VERSION, 10)) return
  throw flowError(
    'flows.newer-ir',
    `Cannot read a flow of version ${shown(String(version))}; this program knows ${IR_VERSION}`,
    'Update Cordon, or export the flow again with the older version',
  )
}

function assertDistinct(nodes: readonly FlowNode[]): void {
  const seen = new Set<string>()
  for (const [index, { id }] of nodes.entries()) {
    if (seen.has(id)) throw unreadable(`nodes[${index}].id`, `${shown(id)} is used twice`)
    seen.add(id)
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function unreadable(place: string, message: string): Error {
  return flowError(
    'flows.bad-ir',
    `Cannot read the flow${place === '' ? '' : ` at ${place}`}: ${message}`,
    'Correct that place; docs/flow.schema.json describes every field',
  )
}
