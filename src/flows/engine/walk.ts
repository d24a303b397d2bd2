/**
 * The way through a flow: which node is next, given how those before it ended. A node has its turn once all edges into it
 * are settled and one of them was taken; an edge that leads back sets everything behind it to the beginning. Given the
 * same ends it goes the same way, so a run that is taken up again finds itself where it was. It runs nothing.
 */
import { DEFAULT_ACTION } from '../actions.ts'
import { edgeAction, type FlowGraph } from '../check/flow-graph.ts'
import type { FlowEdge } from '../ir.ts'

export class Walk {
  readonly #graph: FlowGraph
  readonly #out: ReadonlyMap<string, readonly FlowEdge[]>
  /** Nodes whose turn is still to come. */
  readonly #waiting: Set<string>
  /** Whether an edge was taken; absent while that is open. */
  readonly #settled = new Map<FlowEdge, boolean>()
  readonly #timesTaken = new Map<FlowEdge, number>()
  /** Nodes that an edge led back to. */
  readonly #again = new Set<string>()

  constructor(graph: FlowGraph) {
    this.#graph = graph
    this.#out = Map.groupBy(graph.edges, ({ from }) => from)
    this.#waiting = new Set(graph.order)
  }

  next(): string | undefined {
    for (const id of this.#graph.order) {
      if (!this.#waiting.has(id)) continue
      if (this.#again.has(id)) return id
      const into = this.#graph.into(id).filter((edge) => !this.#graph.back.has(edge))
      if (into.some((edge) => !this.#settled.has(edge))) continue
      if (into.length === 0 || into.some((edge) => this.#settled.get(edge))) return id
      this.#waiting.delete(id)
      this.#settle(id, undefined)
    }
    return undefined
  }

  /** Whether some edge is taken when the node ends like this. */
  leadsOn(id: string, action: string): boolean {
    return this.#edges(id, action).some((edge) => this.#isOpen(edge))
  }

  /** Whether the only way on from here leads back, and was gone as often as it may be. */
  isUsedUp(id: string, action: string): boolean {
    const edges = this.#edges(id, action)
    return edges.length > 0 && !edges.some((edge) => this.#isOpen(edge))
  }

  ended(id: string, action: string): void {
    this.#waiting.delete(id)
    this.#again.delete(id)
    const back = this.#edges(id, action).find(
      (edge) => this.#graph.back.has(edge) && this.#isOpen(edge),
    )
    if (back) this.#goBack(back)
    else this.#settle(id, action)
  }

  #edges(id: string, action: string): readonly FlowEdge[] {
    return (this.#out.get(id) ?? []).filter((edge) => edgeAction(edge) === action)
  }

  #isOpen(edge: FlowEdge): boolean {
    const { max = Number.POSITIVE_INFINITY } = edge
    return !this.#graph.back.has(edge) || (this.#timesTaken.get(edge) ?? 0) < max
  }

  #settle(id: string, action: string | undefined): void {
    for (const edge of this.#forward(id)) this.#settled.set(edge, edgeAction(edge) === action)
  }

  #goBack(edge: FlowEdge): void {
    this.#timesTaken.set(edge, (this.#timesTaken.get(edge) ?? 0) + 1)
    this.#again.add(edge.to)
    const behind = [edge.to]
    const seen = new Set(behind)
    for (const id of behind) {
      this.#waiting.add(id)
      for (const forward of this.#forward(id)) {
        this.#settled.delete(forward)
        if (!seen.has(forward.to)) behind.push(forward.to)
        seen.add(forward.to)
      }
    }
  }

  #forward(id: string): readonly FlowEdge[] {
    return (this.#out.get(id) ?? []).filter((edge) => !this.#graph.back.has(edge))
  }
}

/** Whether others had a say in how it goes on. */
export function isChoice(action: string): boolean {
  return action !== DEFAULT_ACTION
}
