/**
 * Labels in stored form, also for hashing: plain JSON with one spelling. A restored value has exactly the labels it was
 * stored with; labels that cannot be parsed are refused, never replaced by less strict ones.
 */
import type { Json } from '../text/json.ts'
import { BOUNDS, type Bound, INTEGRITIES, type Label, LEVELS } from './label.ts'
import type { LabelTree, Provenance, Span } from './label-tree.ts'
import { Labelled } from './labelled.ts'
import type { RevealToken } from './reveal-token.ts'

export type StoredTree = { readonly [key: string]: Json }

export function storeTree(tree: LabelTree): StoredTree {
  const { label, from, each, members, spans } = tree
  return {
    label: storeLabel(label),
    ...(from && { from: { ...from } }),
    ...(each && { each: storeTree(each) }),
    // Pairs, since a member may have any name, including `__proto__`.
    ...(members && { members: [...members].sort(byName).map(([k, v]) => [k, storeTree(v)]) }),
    ...(spans && { spans: spans.map(storeSpan) }),
  }
}

export function restoreTree(stored: unknown): LabelTree {
  const { label, from, each, members, spans } = record(stored)
  return {
    label: restoreLabel(label),
    ...(from !== undefined && { from: restoreProvenance(from) }),
    ...(each !== undefined && { each: restoreTree(each) }),
    ...(members !== undefined && { members: new Map(list(members).map(restoreMember)) }),
    ...(spans !== undefined && { spans: list(spans).map(restoreSpan) }),
  }
}

/** Opens the value, so it needs a `RevealToken`. */
export function storeLabelled(value: Labelled, token: RevealToken): Json {
  return { value: Labelled.reveal(value, token), labels: storeTree(value.tree) }
}

export function restoreLabelled(stored: unknown): Labelled {
  const { value, labels } = record(stored)
  if (value === undefined) throw unreadable()
  return new Labelled(value as Json, restoreTree(labels))
}

function byName([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

function storeLabel({ integrity, level, origins, bound }: Label): Json {
  return { integrity, level, origins: [...origins].sort(), ...(bound && { bound: { ...bound } }) }
}

function storeSpan({ start, end, label, from }: Span): Json {
  return { start, end, label: storeLabel(label), ...(from && { from: { ...from } }) }
}

function restoreLabel(stored: unknown): Label {
  const { integrity, level, origins, bound } = record(stored)
  return {
    integrity: oneOf(INTEGRITIES, integrity),
    level: oneOf(LEVELS, level),
    origins: new Set(list(origins).map(text)),
    ...(bound !== undefined && { bound: restoreBound(bound) }),
  }
}

function restoreBound(stored: unknown): Bound {
  const { kind, of, isDirectory, size } = record(stored)
  return {
    kind: oneOf(BOUNDS, kind),
    ...(of !== undefined && { of: text(of) }),
    ...(isDirectory === true && { isDirectory }),
    ...(size !== undefined && { size: sizeOf(size) }),
  }
}

/** A size below one would count as fewer than no bits. */
function sizeOf(stored: unknown): number {
  const size = whole(stored)
  if (size < 1) throw unreadable()
  return size
}

function restoreMember(stored: unknown): readonly [string, LabelTree] {
  const [name, tree] = list(stored)
  return [text(name), restoreTree(tree)]
}

function restoreSpan(stored: unknown): Span {
  const { start, end, label, from } = record(stored)
  return {
    start: whole(start),
    end: whole(end),
    label: restoreLabel(label),
    ...(from !== undefined && { from: restoreProvenance(from) }),
  }
}

function restoreProvenance(stored: unknown): Provenance {
  const { kind, what, server, tool, callId, role } = record(stored)
  switch (kind) {
    case 'user':
      return { kind }
    case 'host':
      return { kind, what: text(what) }
    case 'tool':
      return { kind, server: text(server), tool: text(tool), callId: text(callId) }
    case 'model':
      return { kind, role: text(role) }
    default:
      throw unreadable()
  }
}

function record(stored: unknown): Readonly<Record<string, unknown>> {
  if (typeof stored !== 'object' || stored === null || Array.isArray(stored)) throw unreadable()
  return stored as Readonly<Record<string, unknown>>
}

function list(stored: unknown): readonly unknown[] {
  if (!Array.isArray(stored)) throw unreadable()
  return stored
}

function text(stored: unknown): string {
  if (typeof stored !== 'string') throw unreadable()
  return stored
}

function whole(stored: unknown): number {
  if (!Number.isInteger(stored)) throw unreadable()
  return stored as number
}

function oneOf<T extends string>(known: readonly T[], stored: unknown): T {
  const found = known.find((one) => one === stored)
  if (found === undefined) throw unreadable()
  return found
}

function unreadable(): TypeError {
  return new TypeError('Stored labels cannot be read')
}
