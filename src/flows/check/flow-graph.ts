/**
 * Which node runs before which. A node runs once all edges into it are settled and one of them was taken; back edges are
 * not waited for. Every back edge needs a `max`, and a `max` counts on every edge of a cycle. Edges of a node that can end
 * with several actions are alternatives. Runs nothing.
 */
import { DEFAULT_ACTION } from '../engine/error-actions.ts'
import type { FlowEdge, FlowIr } from '../language/ir.ts'
import { addAll, addBit, type Bits, emptyBits, hasBit, isEmpty, isSubset } from './bits.ts'
import { decisionsOf } from './decisions.ts'

export interface FlowGraph {
  /** Topological, with the back edges left out. */
  readonly order: readonly string[]
  /** A cycle of which no edge has a `max`, as ids. */
  readonly cycle?: readonly string[]
  /** A back edge without a `max`, if every cycle has a bound elsewhere: the flow could only fail when that is used up. */
  readonly endless?: FlowEdge
  /** Edges between nodes that exist. */
  readonly edges: readonly FlowEdge[]
  /** Edges to a node that ran before. Every cycle has one. */
  readonly back: ReadonlySet<FlowEdge>
  /** Edges whose `max` counts: those that are part of a cycle. */
  readonly bounded: ReadonlySet<FlowEdge>
  into(id: string): readonly FlowEdge[]
  /** Whether the one has had its turn when the other runs for the first time. */
  isBefore(id: string, other: string): boolean
  /** Whether the one can have run when the other runs, also in a later round. */
  reaches(id: string, other: string): boolean
  /** Whether the one had to run for the other to run, as far as alternatives go. */
  isCertainFor(id: string, other: string): boolean
  /** Whether it depends on how another node ends. */
  isAlternative(id: string): boolean
}

export function edgeAction({ action }: FlowEdge): string {
  return action ?? DEFAULT_ACTION
}

export function createGraph({ nodes, edges }: FlowIr): FlowGraph {
  const at = new Map(nodes.map(({ id }, index) => [id, index]))
  const ids = nodes.map(({ id }) => id)
  const known = edges.filter(({ from, to }) => at.has(from) && at.has(to))
  const back = backEdges(ids, known)
  const forward = known.filter((edge) => !back.has(edge))
  const into = groupedBy(known, (edge) => edge.to)
  const forwardInto = groupedBy(forward, (edge) => edge.to)
  const { order } = sorted(ids, forward)
  const cycle = cycleIn(
    ids,
    known.filter(({ max }) => max === undefined),
  )
  const endless = cycle ? undefined : [...back].find(({ max }) => max === undefined)
  const position = (id: string): number => at.get(id) ?? 0

  const before = ancestors(order, forwardInto, position)
  const reaching = back.size === 0 ? before : closed(order, into, position)
  const decisions = decisionsOf(order, forwardInto, known, position)
  const none = emptyBits(0)
  const isIn = (rows: readonly Bits[], id: string, other: string): boolean =>
    at.has(id) && at.has(other) && hasBit(rows[position(other)] ?? none, position(id))
  const isInCycle = ({ from, to }: FlowEdge): boolean => from === to || isIn(reaching, to, from)
  return {
    order,
    edges: known,
    back,
    bounded: new Set(known.filter((edge) => edge.max !== undefined && isInCycle(edge))),
    ...(cycle && { cycle }),
    ...(endless && { endless }),
    into: (id) => into.get(id) ?? [],
    isBefore: (id, other) => isIn(before, id, other),
    reaches: (id, other) => isIn(reaching, id, other),
    isCertainFor: (id, other) =>
      isSubset(decisions[position(id)] ?? none, decisions[position(other)] ?? none),
    isAlternative: (id) => !isEmpty(decisions[position(id)] ?? none),
  }
}

type Grouped = ReadonlyMap<string, readonly FlowEdge[]>

function groupedBy(edges: readonly FlowEdge[], key: (edge: FlowEdge) => string): Grouped {
  const groups = new Map<string, FlowEdge[]>()
  for (const edge of edges) {
    const group = groups.get(key(edge))
    if (group) group.push(edge)
    else groups.set(key(edge), [edge])
  }
  return groups
}

/** Kahn's algorithm. `rest` are the nodes of cycles, and those behind them. */
function sorted(
  ids: readonly string[],
  edges: readonly FlowEdge[],
): { readonly order: readonly string[]; readonly rest: readonly string[] } {
  const waiting = new Map(ids.map((id) => [id, 0]))
  for (const { to } of edges) waiting.set(to, (waiting.get(to) ?? 0) + 1)
  const out = groupedBy(edges, (edge) => edge.from)
  const order = ids.filter((id) => waiting.get(id) === 0)
  for (const id of order) {
    for (const { to } of out.get(id) ?? []) {
      const left = (waiting.get(to) ?? 0) - 1
      waiting.set(to, left)
      if (left === 0) order.push(to)
    }
  }
  const done = new Set(order)
  const rest = ids.filter((id) => !done.has(id))
  return { order: [...order, ...rest], rest }
}

/** Goes backwards from a node that Kahn's algorithm left over: each has another such node before it, so one comes twice. */
function cycleIn(
  ids: readonly string[],
  edges: readonly FlowEdge[],
): readonly string[] | undefined {
  const { rest } = sorted(ids, edges)
  const stuck = new Set(rest)
  const into = groupedBy(
    edges.filter(({ from }) => stuck.has(from)),
    (edge) => edge.to,
  )
  const path: string[] = []
  let id = rest[0]
  while (id !== undefined && !path.includes(id)) {
    path.push(id)
    id = into.get(id)?.[0]?.from
  }
  return id === undefined ? undefined : path.slice(path.indexOf(id)).reverse()
}

/** Depth first: an edge to a node that is still on the path is a back edge. It starts at the nodes without edges into them. */
function backEdges(ids: readonly string[], edges: readonly FlowEdge[]): ReadonlySet<FlowEdge> {
  const out = groupedBy(edges, (edge) => edge.from)
  const entered = new Set(edges.map(({ to }) => to))
  const starts = [...ids.filter((id) => !entered.has(id)), ...ids]
  const seen = new Set<string>()
  const onTheWay = new Set<string>()
  const back = new Set<FlowEdge>()
  const visit = (id: string): void => {
    seen.add(id)
    onTheWay.add(id)
    for (const edge of out.get(id) ?? []) {
      if (onTheWay.has(edge.to)) back.add(edge)
      else if (!seen.has(edge.to)) visit(edge.to)
    }
    onTheWay.delete(id)
  }
  for (const id of starts) if (!seen.has(id)) visit(id)
  return back
}

type Position = (id: string) => number

function ancestors(order: readonly string[], into: Grouped, position: Position): readonly Bits[] {
  const rows = order.map(() => emptyBits(order.length))
  for (const id of order) gather(rows, id, into, position)
  return rows
}

/** The transitive closure over all edges, back edges included: repeated until nothing is added. */
function closed(order: readonly string[], into: Grouped, position: Position): readonly Bits[] {
  const rows = order.map(() => emptyBits(order.length))
  let isGrowing = true
  while (isGrowing) {
    isGrowing = false
    for (const id of order) isGrowing = gather(rows, id, into, position) || isGrowing
  }
  return rows
}

function gather(rows: readonly Bits[], id: string, into: Grouped, position: Position): boolean {
  const row = rows[position(id)]
  let changed = false
  for (const { from } of into.get(id) ?? []) {
    const above = rows[position(from)]
    if (!row || !above) continue
    changed = addAll(row, above) || changed
    if (!hasBit(row, position(from))) changed = true
    addBit(row, position(from))
  }
  return changed
}
