/**
 * Control dependence: for each node, the branch outcomes (a node ending with an action) that it needs in order to run,
 * as bits. They are the outcomes that all paths into the node share. If the paths do not cover every outcome of the
 * branches before them, the node runs on some paths only, and a bit of its own says so. This shows whose data decides
 * that a node runs.
 */
import { DEFAULT_ACTION } from '../engine/error-actions.ts'
import type { FlowEdge } from '../language/ir.ts'
import { addBit, type Bits, emptyBits, hasBit, isEmpty, keepOnly, without } from './bits.ts'

type Into = ReadonlyMap<string, readonly FlowEdge[]>
type Position = (id: string) => number

/** `into` has the forward edges, and `order` is a topological order of them. */
export function decisionsOf(
  order: readonly string[],
  into: Into,
  edges: readonly FlowEdge[],
  position: Position,
): readonly Bits[] {
  const numbers = numbersOf(edges)
  const choices = choicesIn(order, edges, numbers)
  const size = numbers.size === 0 ? 0 : numbers.size + order.length
  const rows = order.map(() => emptyBits(size))
  for (const id of order) {
    const ways = (into.get(id) ?? []).map((edge) => {
      const way = new Uint32Array(rows[position(edge.from)] ?? emptyBits(size))
      const own = numbers.get(keyOf(edge))
      if (own !== undefined) addBit(way, own)
      return way
    })
    rows[position(id)] = meet(ways, choices, numbers.size + position(id)) ?? emptyBits(size)
  }
  return rows
}

/** Numbers every outcome of every node that branches. */
function numbersOf(edges: readonly FlowEdge[]): ReadonlyMap<string, number> {
  const choosing = new Set(
    edges.filter((edge) => actionOf(edge) !== DEFAULT_ACTION).map(({ from }) => from),
  )
  const keys = new Set(edges.filter(({ from }) => choosing.has(from)).map(keyOf))
  return new Map([...keys].map((key, at) => [key, at]))
}

/** The outcomes of each branching node. A node without a default edge is left out: it can succeed and lead nowhere. */
function choicesIn(
  order: readonly string[],
  edges: readonly FlowEdge[],
  numbers: ReadonlyMap<string, number>,
): readonly (readonly number[])[] {
  const out = Map.groupBy(edges, ({ from }) => from)
  return order.flatMap((id) => {
    const own = out.get(id) ?? []
    if (!own.some((edge) => actionOf(edge) === DEFAULT_ACTION)) return []
    const ends = new Set(own.flatMap((edge) => numbers.get(keyOf(edge)) ?? []))
    return ends.size > 0 ? [[...ends]] : []
  })
}

function meet(
  ways: readonly Bits[],
  choices: readonly (readonly number[])[],
  own: number,
): Bits | undefined {
  const [first] = ways
  if (!first) return undefined
  const shared = new Uint32Array(first)
  for (const way of ways) keepOnly(shared, way)
  const further = ways.map((way) => without(way, shared))
  if (!coversAll(further, choices)) addBit(shared, own)
  return shared
}

/** More than a flow written by hand has; beyond this limit a node counts as possibly skipped. */
const MOST_COMPARED = 400

/** Whether one of these paths is always taken. Last branch first: if all its outcomes lead here, it decides nothing. */
function coversAll(ways: readonly Bits[], choices: readonly (readonly number[])[]): boolean {
  if (ways.some(isEmpty)) return true
  if (ways.length * choices.length > MOST_COMPARED) return false
  let left = ways
  for (const ends of choices.toReversed()) {
    left = withoutChoice(left, ends)
    if (left.some(isEmpty)) return true
  }
  return false
}

/** Merges paths that differ only in the outcome of one node, if they cover all its outcomes. */
function withoutChoice(ways: readonly Bits[], ends: readonly number[]): readonly Bits[] {
  const choice = emptyBits((ways[0]?.length ?? 0) * 32)
  for (const end of ends) addBit(choice, end)
  const groups = Map.groupBy(ways, (way) => without(way, choice).join())
  return [...groups.values()].flatMap((group) => {
    const isWhole = ends.every((end) => group.some((way) => hasBit(way, end)))
    return isWhole ? group.slice(0, 1).map((way) => without(way, choice)) : group
  })
}

function actionOf({ action = DEFAULT_ACTION }: FlowEdge): string {
  return action
}

function keyOf(edge: FlowEdge): string {
  return `${edge.from} ${actionOf(edge)}`
}
