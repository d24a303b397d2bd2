/**
 * The labels of a JSON value, leaf by leaf. Sparse: a part that is not named has the label of the whole, so a list of a
 * million items with one kind of id needs three entries.
 */
import type { Json, JsonObject } from '../text/json.ts'
import {
  chosenLabel,
  controlledLabel,
  isSameAuthor,
  isTrusted,
  joinLabels,
  type Label,
} from './label.ts'

/** The provenance of a value, as a person can be shown it. */
export type Provenance =
  | { readonly kind: 'user' }
  | { readonly kind: 'host'; readonly what: string }
  | {
      readonly kind: 'tool'
      readonly server: string
      readonly tool: string
      readonly callId: string
    }
  | { readonly kind: 'model'; readonly role: string }

export interface LabelTree {
  readonly label: Label
  readonly from?: Provenance
  /** Of a list or an object: the labels of each member that is not named. */
  readonly each?: LabelTree
  readonly members?: ReadonlyMap<string, LabelTree>
  /** Of a text: pieces with another label, in order, without overlap. */
  readonly spans?: readonly Span[]
}

export interface Span {
  readonly start: number
  readonly end: number
  readonly label: Label
  readonly from?: Provenance
}

/** The labels of one member: its own if it is named, else those of `each`, else those of the whole. */
export function branchOf(tree: LabelTree, name: string): LabelTree {
  const own = tree.members?.get(name) ?? tree.each
  if (!own) return whole(tree)
  const picked = pickedTree(tree.label, own)
  return picked.from || !tree.from ? picked : { ...picked, from: tree.from }
}

/**
 * The labels of a member that is taken out of a list or object. The author of the list decides its order and which items
 * it has, so a member that somebody else wrote counts as chosen by that author.
 */
export function pickedTree(container: Label, member: LabelTree): LabelTree {
  return isSameAuthor(container, member.label) ? member : chosenTree(member, container)
}

/** `chosenLabel` for every label of the tree. */
export function chosenTree(tree: LabelTree, choice: Label, among?: number): LabelTree {
  return mapTree(tree, (label) => chosenLabel(label, choice, among))
}

/** `controlledLabel` for every label of the tree. */
export function controlledTree(tree: LabelTree, choice: Label): LabelTree {
  return mapTree(tree, (label) => controlledLabel(label, choice))
}

/** The labels of an output whose step ran because of this data; the owner's own words decide nothing confidential. */
export function decidedTree(tree: LabelTree, decider: Label): LabelTree {
  const isOwn = isTrusted(decider) && decider.origins.size === 0
  return isOwn ? tree : controlledTree(tree, decider)
}

/** Joins every label of the tree with `by`, so no part is less strict than `by`. */
export function raiseTree(tree: LabelTree, by: Label): LabelTree {
  return mapTree(tree, (label) => joinLabels(label, by))
}

function mapTree(tree: LabelTree, change: (label: Label) => Label): LabelTree {
  const { each, members, spans } = tree
  return {
    ...tree,
    label: change(tree.label),
    ...(each && { each: mapTree(each, change) }),
    ...(members && { members: new Map([...members].map(([k, v]) => [k, mapTree(v, change)])) }),
    ...(spans && { spans: spans.map((one) => ({ ...one, label: change(one.label) })) }),
  }
}

/**
 * The join of the labels of all leaves, and of everything else that the value says: the names of members, and the order
 * and number of items that somebody else wrote. An empty list or object counts as a leaf.
 */
export function joinTree(json: Json, tree: LabelTree): Label {
  return joinLeaves(json, readTree(tree), undefined)
}

/**
 * A label tree prepared for speed, since every decision walks all leaves of all arguments. All nodes have the same
 * object shape; and since leaves mostly share a few labels, a label that equals the join so far is not joined again.
 */
class Node {
  readonly label: Label
  readonly spans: readonly Span[] | undefined
  readonly members: Map<string, Node> | undefined
  /** The labels of members that are not named; undefined if all members have the same label. */
  readonly rest: Node | undefined
  readonly isPlain: boolean
  /** Whether somebody else than the author of the list or object wrote a member of it. */
  readonly isMixed: boolean
  /** Whether an untrusted author chose the names of members that are not named in the tree. */
  readonly namesCount: boolean

  constructor(tree: LabelTree, members: Map<string, Node> | undefined, rest: Node | undefined) {
    this.label = tree.label
    this.spans = tree.spans
    this.members = members
    this.rest = rest
    this.isPlain = !tree.spans && !rest
    this.isMixed = rest !== undefined && isMixed(tree.label, rest, members)
    this.namesCount = tree.each !== undefined && !isTrusted(tree.label)
  }
}

function isMixed(author: Label, rest: Node, members: Map<string, Node> | undefined): boolean {
  if (!isSameAuthor(author, rest.label)) return true
  if (members) for (const one of members.values()) if (!isSameAuthor(author, one.label)) return true
  return false
}

function readTree(tree: LabelTree): Node {
  const { each, members } = tree
  if (!each && !members) return new Node(tree, undefined, undefined)
  const named = members && new Map<string, Node>()
  if (members) for (const [name, one] of members) named?.set(name, readTree(one))
  return new Node(tree, named, readTree(each ?? { label: tree.label }))
}

function joinLeaves(json: Json, node: Node, so: Label | undefined): Label {
  const { rest } = node
  if (typeof json !== 'object' || json === null || !rest) return joinLeaf(node, so)
  const before = node.isMixed ? joinLeaf(node, so) : so
  return Array.isArray(json)
    ? joinItems(json as readonly Json[], node, rest, before)
    : joinMembers(json as JsonObject, node, rest, before)
}

function joinItems(json: readonly Json[], node: Node, rest: Node, so: Label | undefined): Label {
  if (json.length === 0) return joinLeaf(node, so)
  let joined = so
  for (let at = 0; at < json.length; at += 1) {
    const own = node.members?.get(String(at)) ?? rest
    if (own.isPlain && own.label === joined) continue
    joined = joinLeaves(json[at] as Json, own, joined)
  }
  return joined ?? node.label
}

function joinMembers(json: JsonObject, node: Node, rest: Node, so: Label | undefined): Label {
  let joined = so
  let isEmpty = true
  for (const name in json) {
    isEmpty = false
    const named = node.members?.get(name)
    if (!named && node.namesCount) joined = joinLeaf(node, joined)
    const own = named ?? rest
    if (own.isPlain && own.label === joined) continue
    joined = joinLeaves(json[name] as Json, own, joined)
  }
  return isEmpty ? joinLeaf(node, so) : (joined ?? node.label)
}

function joinLeaf({ label, spans }: Node, so: Label | undefined): Label {
  let joined = so === undefined || so === label ? label : joinLabels(so, label)
  for (const span of spans ?? []) joined = joinLabels(joined, span.label)
  return joined
}

/** The labels of a member that is not named, without `each`. */
function whole(tree: LabelTree): LabelTree {
  if (!tree.each && !tree.members && !tree.spans) return tree
  return { label: tree.label, ...(tree.from && { from: tree.from }) }
}
