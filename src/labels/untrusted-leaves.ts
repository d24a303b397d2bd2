/** The untrusted leaves of a value, each with its label and its member names. Reads labels and names, reveals no value. */
import type { Json } from '../text/json.ts'
import { bitsOf, FREE_BITS, isTrusted, type Label } from './label.ts'
import { branchOf, type LabelTree } from './label-tree.ts'

export interface UntrustedLeaf {
  readonly label: Label
  /** The names of the members that lead to the leaf; places in a list have none. */
  readonly names: readonly string[]
}

export function* untrustedLeaves(
  json: Json,
  tree: LabelTree,
  names: readonly string[] = [],
): Generator<UntrustedLeaf, void> {
  const members = typeof json === 'object' && json !== null ? Object.entries(json) : []
  for (const [name, member] of members as readonly [string, Json][]) {
    const inside = Array.isArray(json) ? names : [...names, name]
    yield* untrustedLeaves(member, branchOf(tree, name), inside)
  }
  if (members.length > 0) return
  for (const { label } of [tree, ...(tree.spans ?? [])]) {
    if (!isTrusted(label)) yield { label, names }
  }
}

/** The most that the untrusted leaves can say together, in bits: two booleans say two, although their join says one. */
export function capacityOf(json: Json, tree: LabelTree): number {
  let bits = 0
  for (const { label } of untrustedLeaves(json, tree)) {
    bits += bitsOf(label.bound)
    if (bits >= FREE_BITS) return FREE_BITS
  }
  return bits
}
