/**
 * The labels of a JSON value, leaf by leaf, as sparse as they are given: what is not named has the label of the whole,
 * and a list of a million items with one kind of id needs three entries.
 */
import type { Json, JsonObject } from './json.ts'
import { joinLabels, type Label } from './label.ts'

/** Where a value came from, in words that a person can be shown. */
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
  /** Of a list or an object: what holds for each item that is not named. */
  readonly each?: LabelTree
  readonly members?: ReadonlyMap<string, LabelTree>
  /** Of a text: pieces of it with another label, in order, apart from each other. */
  readonly spans?: readonly Span[]
}

export interface Span {
  readonly start: number
  readonly end: number
  readonly label: Label
  readonly from?: Provenance
}

/** The labels of one member: as it is named, or as each, or as the whole. */
export function branchOf(tree: LabelTree, name: string): LabelTree {
  const own = tree.members?.get(name) ?? tree.each
  if (!own) return whole(tree)
  return own.from || !tree.from ? own : { ...own, from: tree.from }
}

/** No part less strict than this. */
export function raiseTree(tree: LabelTree, by: Label): LabelTree {
  const { each, members, spans } = tree
  return {
    ...tree,
    label: joinLabels(tree.label, by),
    ...(each && { each: raiseTree(each, by) }),
    ...(members && { members: new Map([...members].map(([k, v]) => [k, raiseTree(v, by)])) }),
    ...(spans && { spans: spans.map((one) => ({ ...one, label: joinLabels(one.label, by) })) }),
  }
}

/** All leaves of the value taken together. */
export function joinTree(json: Json, tree: LabelTree): Label {
  return joinLeaves(json, tree, undefined) ?? tree.label
}

/**
 * Every decision walks all leaves of all arguments once, so it is written for speed: leaves mostly share a few labels,
 * and the same one is not joined twice. What is empty counts as a leaf.
 */
function joinLeaves(json: Json, tree: LabelTree, so: Label | undefined): Label | undefined {
  if (typeof json !== 'object' || json === null || isUniform(tree)) return joinLeaf(tree, so)
  const { members, each = whole(tree) } = tree
  if (!Array.isArray(json)) return joinMembers(json as JsonObject, tree, so)
  if (json.length === 0) return joinLeaf(tree, so)
  let joined = so
  for (let at = 0; at < json.length; at += 1) {
    joined = joinLeaves(json[at] as Json, members?.get(String(at)) ?? each, joined)
  }
  return joined
}

function joinMembers(json: JsonObject, tree: LabelTree, so: Label | undefined): Label | undefined {
  const { members, each = whole(tree) } = tree
  let joined = so
  let isEmpty = true
  for (const name in json) {
    isEmpty = false
    const own = members?.get(name) ?? each
    if (own.label === joined && isUniform(own) && !own.spans) continue
    joined = joinLeaves(json[name] as Json, own, joined)
  }
  return isEmpty ? joinLeaf(tree, so) : joined
}

function joinLeaf({ label, spans }: LabelTree, so: Label | undefined): Label {
  let joined = so === undefined || so === label ? label : joinLabels(so, label)
  for (const span of spans ?? []) joined = joinLabels(joined, span.label)
  return joined
}

/** All that is in it has one label. */
function isUniform({ each, members }: LabelTree): boolean {
  return !each && !members
}

/** What holds for a member that is not named. */
function whole(tree: LabelTree): LabelTree {
  if (isUniform(tree) && !tree.spans) return tree
  return { label: tree.label, ...(tree.from && { from: tree.from }) }
}
