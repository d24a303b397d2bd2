/**
 * A JSON value with a label on each leaf. It can be inspected, split and combined, and stays labelled; the bare value
 * is revealed only with a `RevealToken`, which is issued after the check of a sink. Printing it, comparing it or
 * converting it to JSON by accident reveals nothing.
 */
import type { Json, JsonObject } from '../text/json.ts'
import type { Label } from './label.ts'
import {
  branchOf,
  joinTree,
  type LabelTree,
  type Provenance,
  raiseTree,
  type Span,
} from './label-tree.ts'
import { RevealToken } from './reveal-token.ts'

export class Labelled {
  readonly #json: Json
  readonly #tree: LabelTree
  #joined: Label | undefined

  constructor(json: Json, tree: LabelTree) {
    this.#json = json
    this.#tree = tree
  }

  /** The join of the labels of all leaves. */
  get label(): Label {
    return (this.#joined ??= joinTree(this.#json, this.#tree))
  }

  get from(): Provenance | undefined {
    return this.#tree.from
  }

  get tree(): LabelTree {
    return this.#tree
  }

  /** The number of members; undefined for a scalar. */
  get size(): number | undefined {
    if (typeof this.#json !== 'object' || this.#json === null) return undefined
    return Object.keys(this.#json).length
  }

  /** The part at this path, or undefined if there is none. */
  at(...path: readonly (string | number)[]): Labelled | undefined {
    let json: Json | undefined = this.#json
    let tree = this.#tree
    for (const step of path) {
      json = memberOf(json, String(step))
      if (json === undefined) return undefined
      tree = branchOf(tree, String(step))
    }
    return new Labelled(json, tree)
  }

  /** The same value, with every label joined with this one. */
  raised(label: Label): Labelled {
    return new Labelled(this.#json, raiseTree(this.#tree, label))
  }

  toJSON(): never {
    throw new TypeError('A labelled value is not written anywhere without the check of a sink')
  }

  toString(): string {
    return '[labelled]'
  }

  /** The bare value. The caller must have checked where the value goes. */
  static reveal(value: Labelled, token: RevealToken): Json {
    if (!RevealToken.isGenuine(token))
      throw new TypeError('A labelled value is opened only with a reveal token')
    return value.#json
  }

  /** An object whose members keep their labels. */
  static object(members: Readonly<Record<string, Labelled>>, label: Label): Labelled {
    const entries = Object.entries(members)
    const json = Object.fromEntries(entries.map(([name, member]) => [name, member.#json]))
    const trees = new Map(entries.map(([name, member]) => [name, member.#tree]))
    return new Labelled(json, { label, members: trees })
  }

  static list(items: readonly Labelled[], label: Label): Labelled {
    const trees = new Map(items.map((item, index) => [String(index), item.#tree]))
    return new Labelled(
      items.map((item) => item.#json),
      { label, members: trees },
    )
  }

  /** A text made of pieces; other values become JSON. Plain pieces have `label`, labelled pieces become spans. */
  static text(pieces: readonly (string | Labelled)[], label: Label): Labelled {
    let text = ''
    const spans: Span[] = []
    for (const piece of pieces) {
      const start = text.length
      text += typeof piece === 'string' ? piece : spell(piece.#json)
      if (typeof piece === 'string' || text.length === start) continue
      spans.push({
        start,
        end: text.length,
        label: piece.label,
        ...(piece.from && { from: piece.from }),
      })
    }
    return new Labelled(text, { label, ...(spans.length > 0 && { spans }) })
  }
}

function spell(json: Json): string {
  return typeof json === 'string' ? json : JSON.stringify(json)
}

function memberOf(json: Json | undefined, name: string): Json | undefined {
  if (typeof json !== 'object' || json === null || !Object.hasOwn(json, name)) return undefined
  return (json as JsonObject)[name]
}
