/**
 * References in the values of a flow: `${node.items[0].id}`. A value that consists of one reference becomes the
 * referenced value, with its type and labels; within other text a reference becomes text, and its piece of the text
 * keeps its labels. `$${x}` is the text `${x}`. Never searches a referenced value for references: it may be untrusted.
 */
import type { Json, JsonObject } from '../../text/json.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import { Labelled } from '../../labels/labelled.ts'
import { flowError, shown } from '../flow-errors.ts'
import { within } from './json-place.ts'
import { createMeter } from '../operators/peek.ts'

export type Path = readonly [string, ...(string | number)[]]

export interface Reference {
  /** As written, `${` and `}` included. */
  readonly text: string
  /** Absent if the reference is malformed. */
  readonly path?: Path
  /** The path at which the reference was found. */
  readonly place: string
  /** Whether the value consists of this reference only. */
  readonly isWhole: boolean
}

/** Looks up the value at a path; undefined if there is none. */
export type Scope = (path: Path) => Labelled | undefined

/** The label of values that the flow itself holds, and the path of the value that is being resolved. */
export interface OwnWords extends Pick<LabelTree, 'label' | 'from'> {
  readonly place: string
}

type Piece = string | { readonly text: string; readonly path?: Path }

const MARK = /\$\$\{|\$\{([^{}]*)\}|\$\{/g
const PATH = /^[A-Za-z0-9_-]+(?:\.[A-Za-z0-9_-]+|\[\d{1,6}\])*$/
const STEP = /\[(\d+)\]|[A-Za-z0-9_-]+/g

export function findReferences(value: Json, place: string): readonly Reference[] {
  if (typeof value === 'string') return referencesIn(value, place)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    findReferences(member, within(place, name)),
  )
}

/**
 * Limits the total size of inserted values. A value that is a single reference copies nothing, so it is not measured.
 */
export function resolve(value: Json, scope: Scope, own: OwnWords): Labelled {
  if (typeof value === 'string' && wholeReference(value)) return resolveText(value, scope, own)
  const measured = createMeter()
  const looked: Scope = (path) => {
    const found = scope(path)
    return found && measured(found)
  }
  return resolveIn(value, looked, own)
}

function resolveIn(value: Json, scope: Scope, own: OwnWords): Labelled {
  if (typeof value === 'string') return resolveText(value, scope, own)
  if (typeof value !== 'object' || value === null) return ownValue(value, own)
  const inside = (name: string | number, member: Json): Labelled =>
    resolveIn(member, scope, { ...own, place: within(own.place, name) })
  if (Array.isArray(value)) {
    return Labelled.list(
      value.map((item: Json, index) => inside(index, item)),
      own.label,
    )
  }
  const members = Object.entries(value as JsonObject)
  return Labelled.object(
    Object.fromEntries(members.map(([name, member]) => [name, inside(name, member)])),
    own.label,
  )
}

/** The path, if the text consists of one reference only. */
export function wholeReference(text: string): Path | undefined {
  const [piece, ...others] = piecesOf(text)
  return others.length === 0 && typeof piece === 'object' ? piece.path : undefined
}

function referencesIn(text: string, place: string): readonly Reference[] {
  const pieces = piecesOf(text)
  const isWhole = pieces.length === 1
  return pieces.flatMap((piece) =>
    typeof piece === 'string' ? [] : [{ ...piece, place, isWhole }],
  )
}

function resolveText(text: string, scope: Scope, own: OwnWords): Labelled {
  const pieces = piecesOf(text)
  const [first, ...others] = pieces
  if (typeof first === 'object' && others.length === 0) return look(first, scope, own)
  if (pieces.every((piece) => typeof piece === 'string')) return ownValue(pieces.join(''), own)
  const parts = pieces.map((piece) => (typeof piece === 'string' ? piece : look(piece, scope, own)))
  return Labelled.text(parts, own.label)
}

function look(piece: Exclude<Piece, string>, scope: Scope, { place }: OwnWords): Labelled {
  if (!piece.path) throw malformed(piece.text, place)
  const found = scope(piece.path)
  if (found) return found
  throw flowError(
    'flows.missing-value',
    `Cannot find ${shown(piece.text)}, which ${place} refers to`,
    'Look at what the earlier steps gave with `cordon flow show RUN`, and correct the reference',
  )
}

function malformed(text: string, place: string): Error {
  return flowError(
    'flows.bad-reference',
    `Cannot read the reference ${shown(text)} at ${place}`,
    'Write references as `${node.key[0].name}`, and `$${` where the text itself is meant',
  )
}

function ownValue(value: Json, { label, from }: OwnWords): Labelled {
  return new Labelled(value, { label, ...(from && { from }) })
}

function piecesOf(text: string): readonly Piece[] {
  if (!text.includes('${')) return [text]
  const pieces: Piece[] = []
  let end = 0
  for (const found of text.matchAll(MARK)) {
    pieces.push(text.slice(end, found.index))
    end = found.index + found[0].length
    pieces.push(found[0] === '$${' ? '${' : referenceFrom(found[0], found[1]))
  }
  pieces.push(text.slice(end))
  return pieces.filter((piece) => piece !== '')
}

function referenceFrom(text: string, body: string | undefined): Piece {
  const trimmed = body?.trim() ?? ''
  if (!PATH.test(trimmed)) return { text }
  const [root = '', ...steps] = [...trimmed.matchAll(STEP)].map(([word, index]) =>
    index === undefined ? word : Number(index),
  )
  return { text, path: [String(root), ...steps] }
}
