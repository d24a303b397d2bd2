/** The leaves of an argument, each with its own label, and the amount of untrusted text in them. Pure. */
import type { Json, JsonObject } from '../../text/json.ts'
import { isTrusted, type Label } from '../../labels/label.ts'
import { branchOf, type LabelTree, type Provenance } from '../../labels/label-tree.ts'

export interface Leaf {
  /** Path of the leaf within the argument: `to[0].email`. */
  readonly path: string
  readonly text: string
  readonly isText: boolean
  readonly tree: LabelTree
}

/** A part of a text with one label. */
export interface Piece {
  readonly text: string
  readonly label: Label
  readonly from?: Provenance
}

export function leavesOf(name: string, value: Json, tree: LabelTree): readonly Leaf[] {
  const leaves: Leaf[] = []
  collect(spellName(name), value, tree, leaves)
  return leaves
}

export function piecesOf({ text, tree }: Leaf): readonly Piece[] {
  const { label, from, spans = [] } = tree
  const pieces: Piece[] = []
  let at = 0
  const add = (end: number, piece: Omit<Piece, 'text'>): void => {
    if (end > at) pieces.push({ text: text.slice(at, end), ...piece })
    at = Math.max(at, end)
  }
  const whole = { label, ...(from && { from }) }
  for (const span of spans) {
    add(span.start, whole)
    add(span.end, { label: span.label, ...(span.from && { from: span.from }) })
  }
  add(text.length, whole)
  return pieces
}

/** The number of untrusted characters, member names included. */
export function externalLength(leaf: Leaf): number {
  const foreign = piecesOf(leaf).filter(({ label }) => !isTrusted(label))
  const path = isTrusted(leaf.tree.label) ? 0 : leaf.path.length
  return foreign.reduce((sum, { text }) => sum + text.length, path)
}

function collect(path: string, value: Json, tree: LabelTree, into: Leaf[]): void {
  if (typeof value === 'string') into.push({ path, text: value, isText: true, tree })
  else if (typeof value !== 'object' || value === null || Object.keys(value).length === 0) {
    into.push({ path, text: JSON.stringify(value), isText: false, tree })
  } else {
    const isList = Array.isArray(value)
    for (const [name, member] of Object.entries(value as JsonObject)) {
      const step = isList ? `[${name}]` : `.${spellName(name)}`
      collect(path + step, member, branchOf(tree, name), into)
    }
  }
}

function spellName(name: string): string {
  return /^[\w$-]{1,64}$/.test(name) ? name : JSON.stringify(name)
}
