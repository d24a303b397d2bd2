/** A flow with the facts known about its nodes, shared by all parts of the check. */
import type { Json } from '../../text/json.ts'
import type { FlowIr, FlowNode, NodeMapping } from '../language/ir.ts'
import type { KnownNode } from '../nodes/node-index.ts'
import type { NodeOutput } from '../nodes/node-descriptor.ts'
import { isOperator, type Operation, parseOperation } from '../operators/operation.ts'
import { ownMember } from '../language/own-member.ts'
import { isReserved, outputKey } from '../engine/store-view.ts'
import { isObject, typeOfSchema } from '../language/value-type.ts'
import type { FlowGraph } from './flow-graph.ts'

export interface CheckedNode {
  readonly node: FlowNode
  /** `nodes[2]`. */
  readonly place: string
  /** Absent if the node type does not exist. */
  readonly known?: KnownNode
  readonly mapping: NodeMapping | undefined
  readonly outputs: readonly CheckedOutput[]
  readonly operation?: Operation
}

export interface CheckedOutput extends NodeOutput {
  /** The name that an output mapping gives to an answer without named outputs. */
  readonly isAlias?: true
}

export interface Writer {
  readonly node: string
  readonly output: CheckedOutput
}

export interface CheckedFlow {
  readonly ir: FlowIr
  readonly graph: FlowGraph
  readonly nodes: ReadonlyMap<string, CheckedNode>
  /** The outputs that write each key of the store. */
  readonly writers: ReadonlyMap<string, readonly Writer[]>
  /** Keys that the run will be given; absent if not known yet. */
  readonly given?: ReadonlySet<string>
}

export function checkedNode(
  ir: FlowIr,
  node: FlowNode,
  index: number,
  known: KnownNode | undefined,
): CheckedNode {
  const mapping = ownMember(ir.mappings, node.id)
  const id = known?.descriptor.id ?? ''
  const reading = isOperator(id) ? parseOperation(id, node.params) : undefined
  return {
    node,
    place: `nodes[${index}]`,
    ...(known && { known }),
    mapping,
    outputs: outputsOf(ir, node, known),
    ...(reading?.kind === 'operation' && { operation: reading.operation }),
  }
}

export function writersOf(nodes: Iterable<CheckedNode>): ReadonlyMap<string, readonly Writer[]> {
  const writers = new Map<string, Writer[]>()
  for (const { node, mapping, outputs } of nodes) {
    for (const output of outputs) {
      const key = outputKey(mapping, output.name)
      if (isReserved(key)) continue
      const list = writers.get(key) ?? []
      list.push({ node: node.id, output })
      writers.set(key, list)
    }
  }
  return writers
}

/** Whether the start gives this key: any declared input; once `given` is known, only a given or defaulted one. */
export function isGiven({ ir, given }: CheckedFlow, key: string): boolean {
  const input = ownMember(ir.inputs, key)
  if (!given) return input !== undefined
  return given.has(key) || input?.default !== undefined
}

const EACH_OUTPUTS: readonly NodeOutput[] = [
  { name: 'results', type: 'array' },
  { name: 'count', type: 'integer' },
  { name: 'success_count', type: 'integer' },
  { name: 'error_count', type: 'integer' },
  { name: 'errors', type: 'array' },
]

function outputsOf(
  ir: FlowIr,
  node: FlowNode,
  known: KnownNode | undefined,
): readonly CheckedOutput[] {
  const mapping = ownMember(ir.mappings, node.id)
  const own = ownOutputs(ir, known)
  if (node.forEach) return eachOutputs(own)
  const extracted = known?.descriptor.id === 'extract' ? fieldsOf(node.params['schema']) : []
  const outputs = [...own, ...extracted.filter(({ name }) => name !== 'result')]
  return [...outputs, ...aliasesOf(outputs, mapping)]
}

/** In a flow that an earlier version saved, an answer in text blocks stays a list of blocks. */
function ownOutputs({ answers }: FlowIr, known: KnownNode | undefined): readonly NodeOutput[] {
  const own = known?.descriptor.outputs ?? [{ name: 'result', type: 'any' }]
  return answers === 'blocks' ? own.map(({ name, type }) => ({ name, type })) : own
}

function eachOutputs([first]: readonly NodeOutput[]): readonly NodeOutput[] {
  if (first?.asText !== true) return EACH_OUTPUTS
  return EACH_OUTPUTS.map((one) => (one.name === 'results' ? { ...one, asText: true } : one))
}

/** An answer without named outputs can be addressed by the names in its output mapping. */
function aliasesOf(
  outputs: readonly NodeOutput[],
  mapping: NodeMapping | undefined,
): readonly CheckedOutput[] {
  const [only, ...others] = outputs
  if (only?.type !== 'any' || others.length > 0) return []
  return Object.keys(mapping?.output_mappings ?? {})
    .filter((name) => name !== only.name)
    .map((name) => ({ ...only, name, isAlias: true }))
}

function fieldsOf(schema: Json | undefined): readonly NodeOutput[] {
  const properties = isObject(schema) ? schema['properties'] : undefined
  if (!isObject(properties)) return []
  return Object.entries(properties).map(([name, one]) => ({ name, type: typeOfSchema(one) }))
}
