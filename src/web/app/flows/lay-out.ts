/** Places the nodes of a flow with dagre: ranks from top to bottom, edges as the points they pass. Pure. */
import { Graph, layout } from '@dagrejs/dagre'
import type { FlowShape, ShapeEdge, ShapeNode } from './flow-shape.ts'

export const BOX: { readonly width: number; readonly height: number } = { width: 240, height: 66 }
/** An estimate, since nothing is drawn yet: the width of one letter of an edge's label. */
const LETTER = 7
const MARGIN = 6

interface Point {
  readonly x: number
  readonly y: number
}

export interface LaidOut {
  readonly width: number
  readonly height: number
  /** `x` and `y` are the upper left corner. */
  readonly nodes: readonly (ShapeNode & Point)[]
  readonly edges: readonly (ShapeEdge & {
    readonly points: readonly Point[]
    readonly labelAt: Point
  })[]
}

export function layOut({ nodes, edges }: FlowShape): LaidOut {
  const graph = new Graph({ multigraph: true })
  graph.setGraph({ rankdir: 'TB', ranksep: 36, nodesep: 28, marginx: MARGIN, marginy: MARGIN })
  for (const { id } of nodes) graph.setNode(id, { ...BOX })
  edges.forEach(({ from, to, label }, at) => {
    const size = { width: label.length * LETTER, height: label === '' ? 0 : 18, labelpos: 'c' }
    graph.setEdge(from, to, size, String(at))
  })
  layout(graph)
  const { width = 0, height = 0 } = graph.graph() as Partial<LaidOut>
  return {
    width,
    height,
    nodes: nodes.map((node) => {
      const { x, y } = graph.node(node.id) as Point
      return { ...node, x: x - BOX.width / 2, y: y - BOX.height / 2 }
    }),
    edges: edges.map((edge, at) => {
      const placed = graph.edge(edge.from, edge.to, String(at)) as Partial<Point> & {
        readonly points?: readonly Point[]
      }
      const labelAt = { x: placed.x ?? 0, y: placed.y ?? 0 }
      return { ...edge, points: placed.points ?? [], labelAt }
    }),
  }
}
