/** The nodes and edges of a flow's IR, as far as a picture needs them. Pure; the kernel has checked the IR before. */
import type { Json, JsonObject } from '../../../text/json.ts'

export interface ShapeNode {
  readonly id: string
  readonly type: string
  /** `for each item, at most 20`, `only when it holds`. */
  readonly notes: readonly string[]
}

export interface ShapeEdge {
  readonly from: string
  readonly to: string
  /** The action by which the edge is taken, and how often; empty for the plain next step. */
  readonly label: string
  /** The edge has a `max`: it closes a loop. */
  readonly isLoop: boolean
}

export interface FlowShape {
  readonly nodes: readonly ShapeNode[]
  readonly edges: readonly ShapeEdge[]
}

export function readShape(ir: Json): FlowShape {
  const flow = objectOf(ir)
  const nodes = listOf(flow['nodes']).map(readNode)
  const known = new Set(nodes.map(({ id }) => id))
  const edges = listOf(flow['edges'])
    .map(readEdge)
    .filter(({ from, to }) => known.has(from) && known.has(to))
  return { nodes, edges }
}

function readNode(written: Json): ShapeNode {
  const { id, type, forEach, when } = objectOf(written)
  const each = objectOf(forEach)
  return {
    id: textOf(id),
    type: textOf(type),
    notes: [
      ...(forEach === undefined
        ? []
        : [`for each ${textOf(each['as'])}, at most ${textOf(each['max'])}`]),
      ...(when === undefined ? [] : ['only when it holds']),
    ],
  }
}

function readEdge(written: Json): ShapeEdge {
  const { from, to, action, max } = objectOf(written)
  const said = action === undefined || action === 'default' ? [] : [textOf(action)]
  const often = max === undefined ? [] : [`at most ${textOf(max)} times`]
  return {
    from: textOf(from),
    to: textOf(to),
    label: [...said, ...often].join(', '),
    isLoop: max !== undefined,
  }
}

/** The node that a finding is about, by its place: `nodes[2].params.query`. */
export function nodeAt({ nodes }: FlowShape, place: string): string | undefined {
  const at = /^nodes\[(\d+)\]/.exec(place)?.[1]
  return at === undefined ? undefined : nodes[Number(at)]?.id
}

function objectOf(value: Json | undefined): JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : {}
}

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? (value as readonly Json[]) : []
}

function textOf(value: Json | undefined): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : ''
}
