/**
 * The way through a flow: which node is next, given how the nodes before it ended. A node has its turn once all edges
 * into it are settled and one of them was taken; taking a back edge resets everything behind its target. The walk is
 * deterministic, so a resumed run arrives where it was. Runs nothing.
 *
 * The walk always ends. An edge with a `max` is followed that often at most. A back edge without a `max` is taken again
 * only after progress: an edge with a `max` was followed, which every way round a cycle does, or some node had its
 * first turn. So every back edge is taken a finite number of times, and between two of them each node has one turn at
 * most.
 */
import { DEFAULT_ACTION } from './error-actions.ts'
import { edgeAction, type FlowGraph } from '../check/flow-graph.ts'
import type { FlowEdge } from '../language/ir.ts'

export class Walk {
  readonly #graph: FlowGraph
  readonly #out: ReadonlyMap<string, readonly FlowEdge[]>
  /** Nodes whose turn is still to come. */
  readonly #waiting: Set<string>
  /** Whether each edge is taken; absent while undecided. */
  readonly #settled = new Map<FlowEdge, boolean>()
  /** Targets of a back edge that was taken: they wait for no other edge. */
  readonly #again = new Set<string>()
  /** Taken edges whose target has had its turn since. */
  readonly #followed = new Set<FlowEdge>()
  /** How often each edge with a `max` was followed. */
  readonly #times = new Map<FlowEdge, number>()
  #timesInAll = 0
  /** Nodes that have had a turn. */
  readonly #visited = new Set<string>()
  /** The value of `#progress` when each back edge was last taken. */
  readonly #progressAt = new Map<FlowEdge, number>()

  constructor(graph: FlowGraph) {
    this.#graph = graph
    this.#out = Map.groupBy(graph.edges, ({ from }) => from)
    this.#waiting = new Set(graph.order)
  }

  next(): string | undefined {
    for (const id of this.#graph.order) {
      if (!this.#waiting.has(id)) continue
      if (this.#again.has(id)) return this.#enter(id)
      const into = this.#forwardInto(id)
      if (into.some((edge) => !this.#settled.has(edge))) continue
      if (into.length === 0 || into.some((edge) => this.#settled.get(edge))) return this.#enter(id)
      this.#waiting.delete(id)
      this.#settle(id, undefined)
    }
    return undefined
  }

  /** Whether any edge is taken if the node ends with this action. */
  leadsOn(id: string, action: string): boolean {
    return this.#edges(id, action).some((edge) => this.#isOpen(edge))
  }

  /** Whether the action has edges and each of them was followed as often as its `max` allows. */
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
    const { back, bounded } = this.#graph
    if (bounded.has(edge)) return (this.#times.get(edge) ?? 0) < (edge.max ?? 0)
    return !back.has(edge) || this.#progressAt.get(edge) !== this.#progress
  }

  get #progress(): number {
    return this.#timesInAll + this.#visited.size
  }

  #settle(id: string, action: string | undefined): void {
    for (const edge of this.#forward(id)) {
      this.#settled.set(edge, edgeAction(edge) === action && this.#isOpen(edge))
    }
  }

  /**
   * Begins the node's turn. Edges into it count now, not when they are taken: a back edge may reset them in between.
   */
  #enter(id: string): string {
    this.#visited.add(id)
    for (const edge of this.#forwardInto(id)) {
      if (!this.#settled.get(edge) || this.#followed.has(edge)) continue
      this.#followed.add(edge)
      this.#count(edge)
    }
    return id
  }

  #count(edge: FlowEdge): void {
    if (!this.#graph.bounded.has(edge)) return
    this.#times.set(edge, (this.#times.get(edge) ?? 0) + 1)
    this.#timesInAll += 1
  }

  #goBack(edge: FlowEdge): void {
    this.#progressAt.set(edge, this.#progress)
    this.#count(edge)
    this.#again.add(edge.to)
    const behind = [edge.to]
    const seen = new Set(behind)
    for (const id of behind) {
      this.#waiting.add(id)
      for (const forward of this.#forward(id)) {
        this.#settled.delete(forward)
        this.#followed.delete(forward)
        if (!seen.has(forward.to)) behind.push(forward.to)
        seen.add(forward.to)
      }
    }
  }

  #forward(id: string): readonly FlowEdge[] {
    return (this.#out.get(id) ?? []).filter((edge) => !this.#graph.back.has(edge))
  }

  #forwardInto(id: string): readonly FlowEdge[] {
    return this.#graph.into(id).filter((edge) => !this.#graph.back.has(edge))
  }
}

/** Whether untrusted data may have chosen the action: a server can cause every action except the default. */
export function isChoice(action: string): boolean {
  return action !== DEFAULT_ACTION
}
