/** Label trees of values that do not exist yet: joined, split and composed like those of real values. Pure. */
import type { Json, JsonObject } from '../../text/json.ts'
import { bitsOf, FREE_BITS, isTrusted, joinLabels, type Label } from '../../labels/label.ts'
import { branchOf, type LabelTree, pickedTree } from '../../labels/label-tree.ts'
import { findReferences, type Path } from '../language/references.ts'
import { isObject } from '../language/value-type.ts'

export type LookUp = (path: Path) => LabelTree

/** The join of all labels in the tree. */
export function flatLabel(tree: LabelTree): Label {
  let joined = ownLabel(tree)
  if (tree.each) joined = joinLabels(joined, flatLabel(tree.each))
  for (const member of tree.members?.values() ?? []) joined = joinLabels(joined, flatLabel(member))
  return joined
}

function ownLabel({ label, spans = [] }: LabelTree): Label {
  return spans.reduce((joined, span) => joinLabels(joined, span.label), label)
}

/** More parts than a flow addresses by name. */
const MOST_PARTS = 500

/** Trees contain those of earlier steps, each several times: a tree that has grown too large becomes a single label. */
export function bounded(tree: LabelTree): LabelTree {
  let left = MOST_PARTS
  const count = ({ each, members }: LabelTree): void => {
    left -= 1
    for (const part of each ? [each, ...(members?.values() ?? [])] : (members?.values() ?? [])) {
      if (left > 0) count(part)
    }
  }
  count(tree)
  return left > 0 ? tree : { label: flatLabel(tree) }
}

/** The labels of a value that may be either of the two. */
export function joinTrees(a: LabelTree, b: LabelTree): LabelTree {
  if (a === b) return a
  const label = joinLabels(ownLabel(a), ownLabel(b))
  if (!hasParts(a) && !hasParts(b)) return { label }
  const names = new Set([...namesIn(a), ...namesIn(b)])
  const members = [...names].map(
    (name) => [name, joinTrees(branchOf(a, name), branchOf(b, name))] as const,
  )
  return { label, each: joinTrees(restOf(a), restOf(b)), members: new Map(members) }
}

function namesIn({ members }: LabelTree): Iterable<string> {
  return members?.keys() ?? []
}

/** The labels of members that are not named. */
function restOf(tree: LabelTree): LabelTree {
  return tree.each ?? { label: ownLabel(tree) }
}

function hasParts({ each, members, spans }: LabelTree): boolean {
  return each !== undefined || members !== undefined || spans !== undefined
}

export function branchAt(tree: LabelTree, path: readonly (string | number)[]): LabelTree {
  return path.reduce<LabelTree>((branch, step) => branchOf(branch, String(step)), tree)
}

/** The labels of an arbitrary item of a list. */
export function itemTree({ label, each, members }: LabelTree): LabelTree {
  const named = [...(members?.values() ?? [])]
  if (!each && named.length === 0) return { label }
  const parts = (each ? [each, ...named] : named).map((part) => pickedTree(label, part))
  const [first = { label }, ...others] = parts
  return others.reduce(joinTrees, first)
}

/** The labels of a template after its references are resolved. */
export function templateTree(value: Json, lookUp: LookUp, own: Label): LabelTree {
  if (typeof value === 'string') return textTree(value, lookUp, own)
  if (typeof value !== 'object' || value === null) return { label: own }
  const members = Object.entries(value as JsonObject).map(
    ([name, member]) => [name, templateTree(member, lookUp, own)] as const,
  )
  return { label: own, ...(members.length > 0 && { members: new Map(members) }) }
}

function textTree(text: string, lookUp: LookUp, own: Label): LabelTree {
  const references = findReferences(text, '')
  const [first] = references
  if (first?.isWhole && first.path) return lookUp(first.path)
  const labels = references.flatMap(({ path }) => (path ? [flatLabel(lookUp(path))] : []))
  return { label: textLabel(labels.reduce(joinLabels, own), labels) }
}

/** A text of several choices can be as many texts as the choices have combinations. */
function textLabel(joined: Label, pieces: readonly Label[]): Label {
  const kind = joined.bound?.kind
  const choices = pieces.filter((one) => !isTrusted(one))
  if (choices.length < 2 || (kind !== 'bool' && kind !== 'enum')) return joined
  const bits = choices.reduce((sum, { bound }) => sum + bitsOf(bound), 0)
  return {
    ...joined,
    bound: { kind: 'enum', ...(bits < FREE_BITS && { size: Math.round(2 ** bits) }) },
  }
}

/** The most that the untrusted parts can say; the number of items of a list is not known yet. */
export function treeBits(tree: LabelTree): number {
  const { each, members } = tree
  if (!each && !members) return isTrusted(ownLabel(tree)) ? 0 : bitsOf(ownLabel(tree).bound)
  if (each && !isTrusted(flatLabel(each))) return FREE_BITS
  const sum = [...(members?.values() ?? [])].reduce((so, one) => so + treeBits(one), 0)
  return Math.min(FREE_BITS, sum)
}

/** Adds the bound of the schema's type: the most that an untrusted value of this type can express. */
export function boundedBy(label: Label, schema: Json | undefined): Label {
  if (isTrusted(label) || !isObject(schema)) return label
  const kind = boundKind(schema)
  if (!kind) return label
  const choices = schema['enum']
  const isEnum = kind === 'enum' && Array.isArray(choices)
  return { ...label, bound: { kind, ...(isEnum && { size: new Set(choices).size }) } }
}

function boundKind(schema: JsonObject): 'bool' | 'enum' | 'number' | 'date' | undefined {
  const { type, format } = schema
  if (type === 'boolean') return 'bool'
  if (Array.isArray(schema['enum'])) return 'enum'
  if (type === 'number' || type === 'integer') return 'number'
  return type === 'string' && (format === 'date' || format === 'date-time') ? 'date' : undefined
}
