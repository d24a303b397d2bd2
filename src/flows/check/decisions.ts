/**
 * Of each node, the ends of other nodes without which it does not run, as bits: those that all ways into it share. Where
 * its ways share none, and there are ways that lead elsewhere, it runs on some of them only; a bit of its own says so. By
 * this it is known whose words decide that a node runs.
 */
import { DEFAULT_ACTION } from '../actions.ts'
import type { FlowEdge } from '../ir.ts'
import { addBit, type Bits, emptyBits, hasBit, isEmpty, keepOnly, without } from './bits.ts'

type Into = ReadonlyMap<string, readonly FlowEdge[]>
type Position = (id: string) => number

/** `into` has the edges that lead forward, in whose order the nodes are. */
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

/** Every end of every node that does not always go the same way. */
function numbersOf(edges: readonly FlowEdge[]): ReadonlyMap<string, number> {
  const choosing = new Set(
    edges.filter((edge) => actionOf(edge) !== DEFAULT_ACTION).map(({ from }) => from),
  )
  const keys = new Set(edges.filter(({ from }) => choosing.has(from)).map(keyOf))
  return new Map([...keys].map((key, at) => [key, at]))
}

/** Of each node that chooses, all ends that lead somewhere. One that can end well and lead nowhere is left out. */
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

/** More than anybody writes by hand; beyond that a node counts as one that may not run. */
const MOST_COMPARED = 400

/** Whether one of these ways is always gone. The last choice is looked at first: what leads on either way is none. */
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

/** Ways that are the same but for how one node ends become one, where there is one for each of its ends. */
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
