/**
 * Operators that choose, sort and reshape values. They are deterministic and use no model. Leaves keep their labels; if
 * a field decides which items are taken or in which order, the result counts as chosen by the author of that field.
 */
import type { Json } from '../../text/json.ts'
import { isTrusted, joinLabels, type Label } from '../../labels/label.ts'
import { branchOf, type LabelTree } from '../../labels/label-tree.ts'
import { Labelled } from '../../labels/labelled.ts'
import { compares, type Comparison, isRankable, orderOf, spellOf } from './compare.ts'
import { flowError } from '../flow-errors.ts'
import {
  arrange,
  chosenBy,
  createMeter,
  judge,
  linesOf,
  type Looked,
  readJson,
  type Shape,
  shapeOf,
} from './peek.ts'

export type FieldPath = readonly (string | number)[]

/** Compares a field of each item with a value; an empty path means the item itself. */
export interface Condition {
  readonly field: FieldPath
  readonly op: Comparison
  readonly value: Labelled
}

export function filter(list: Labelled, conditions: readonly Condition[]): Labelled {
  const items = itemsOf(list)
  if (items.length === 0 || conditions.length === 0) return list
  const checks = items.map((item) => conditions.map((one) => meets(item, one)))
  const choice = joinAll(checks.flat().map(({ label }) => label)) ?? list.tree.label
  const taken = items.filter((_, index) => checks[index]?.every(({ answer }) => answer))
  return listOf(
    taken.map((item) => chosenBy(item, choice, items.length)),
    list,
    choice,
  )
}

/** The first item that meets the conditions; null if none does. */
export function select(list: Labelled, conditions: readonly Condition[]): Labelled {
  return first(filter(list, conditions))
}

export function sort(list: Labelled, by: FieldPath, isDescending: boolean): Labelled {
  const direction = isDescending ? -1 : 1
  return arranged(list, by, (keys) => {
    const order = (a: number, b: number): number => {
      const isGone = Number(!isRankable(keys[a])) - Number(!isRankable(keys[b]))
      return isGone || direction * orderOf(keys[a], keys[b]) || a - b
    }
    return [...keys.keys()].sort(order)
  })
}

/** The item with the largest (or smallest) value of a field; null if no item has a number or text there. */
export function extreme(list: Labelled, by: FieldPath, most: boolean): Labelled {
  const best = (keys: readonly (Json | undefined)[]): readonly number[] => {
    const ranked = [...keys.keys()].filter((index) => isRankable(keys[index]))
    const isBetter = (a: number, b: number): boolean => {
      const order = orderOf(keys[a], keys[b])
      return most ? order > 0 : order < 0
    }
    const [start] = ranked
    if (start === undefined) return []
    return [ranked.reduce((best, one) => (isBetter(one, best) ? one : best), start)]
  }
  return first(arranged(list, by, best))
}

/** Of all items with the same key, keeps the first. */
export function unique(list: Labelled, by: FieldPath): Labelled {
  return arranged(list, by, (keys) => {
    const firsts = new Map<string, number>()
    for (const [index, key] of keys.entries()) {
      const text = spellOf(key ?? null)
      if (!firsts.has(text)) firsts.set(text, index)
    }
    return [...firsts.values()]
  })
}

export function first(list: Labelled): Labelled {
  return itemsOf(list)[0] ?? nothing(list.tree.label)
}

export function last(list: Labelled): Labelled {
  return itemsOf(list).at(-1) ?? nothing(list.tree.label)
}

/** The size has the label of the list, since the list's author decides it; untrusted, it is bounded to a number. */
export function count(list: Labelled): Labelled {
  const { label, from } = list.tree
  const bounded = countLabel(label)
  return new Labelled(itemsOf(list).length, { label: bounded, ...(from && { from }) })
}

export function countLabel(label: Label): Label {
  return isTrusted(label) ? label : { ...label, bound: { kind: 'number' } }
}

export function map(list: Labelled, change: (item: Labelled, index: number) => Labelled): Labelled {
  const measured = createMeter()
  const items = itemsOf(list).map((item, index) => measured(change(item, index)))
  return Labelled.list(items, list.tree.label)
}

/** Keeps only these members of an object, or of each item of a list. What `select` did not find has none. */
export function pick(value: Labelled, names: readonly string[]): Labelled {
  const shape = shapeOf(value)
  if (shape === 'list') return map(value, (item) => pickMembers(item, names))
  if (shape === 'object' || shape === 'null') return pickMembers(value, names)
  throw flowError(
    'flows.no-fields',
    `Cannot pick fields of a ${shape}`,
    'Refer to an object or to a list of objects, for example `${search.result.items}`',
  )
}

function pickMembers(value: Labelled, names: readonly string[]): Labelled {
  if (shapeOf(value) === 'list') return map(value, (item) => pickMembers(item, names))
  const members = names.flatMap((name) => {
    const member = value.at(name)
    return member ? [[name, member] as const] : []
  })
  return Labelled.object(Object.fromEntries(members), value.tree.label)
}

/** Joins all items into one text, in which each item's piece keeps its label as a span. */
export function joinText(list: Labelled, separator: string, own: Label): Labelled {
  const pieces = itemsOf(list).flatMap((item, index) => (index === 0 ? [item] : [separator, item]))
  return createMeter()(Labelled.text(pieces, joinLabels(own, list.tree.label)))
}

/** The value that a text spells as JSON; a value that is no text already has its structure. */
export function jsonIn(value: Labelled): Labelled {
  if (shapeOf(value) !== 'text') return value
  const read = readJson(value)
  if (read) return read
  throw flowError(
    'flows.not-json',
    'Cannot read the text as JSON',
    'Look at the text with `cordon flow show RUN`; `lines` takes its lines, and `extract` reads fields out of it',
  )
}

/** The lines of a text; a list stays as it is. */
export function linesIn(value: Labelled): Labelled {
  if (shapeOf(value) === 'list') return value
  const lines = linesOf(value)
  if (lines) return lines
  throw flowError(
    'flows.not-a-text',
    'Cannot take the lines of something that is not a text',
    'Refer to the text itself, for example `${read.content}`',
  )
}

export function itemsOf(list: Labelled): readonly Labelled[] {
  if (shapeOf(list) !== 'list') throw notAList(shapeOf(list))
  return Array.from({ length: list.size ?? 0 }, (_, index) => list.at(index) as Labelled)
}

export function meets(item: Labelled, { field, op, value }: Condition): ReturnType<typeof judge> {
  const right = { value, label: value.label }
  return judge([lookAt(item, field), right], (left, than) => compares(left, op, than ?? null))
}

function arranged(
  list: Labelled,
  by: FieldPath,
  order: (keys: readonly (Json | undefined)[]) => readonly number[],
): Labelled {
  const items = itemsOf(list)
  if (items.length === 0) return list
  const keys = items.map((item) => lookAt(item, by))
  const { answer, label } = arrange(keys, order)
  const taken = answer.flatMap((index) => items[index] ?? [])
  return listOf(
    taken.map((item) => chosenBy(item, label, items.length)),
    list,
    label,
  )
}

/** A missing field takes the label that it would have had: the author of the item decided to omit it. */
function lookAt(item: Labelled, field: FieldPath): Looked {
  const value = item.at(...field)
  const absent = (): Label =>
    field.reduce<LabelTree>((tree, step) => branchOf(tree, String(step)), item.tree).label
  return { value, label: value?.label ?? absent() }
}

function listOf(items: readonly Labelled[], from: Labelled, choice: Label): Labelled {
  return Labelled.list(items, joinLabels(from.tree.label, choice))
}

function nothing(label: Label): Labelled {
  return new Labelled(null, { label })
}

function joinAll(labels: readonly Label[]): Label | undefined {
  const [start, ...others] = labels
  return start && others.reduce(joinLabels, start)
}

function notAList(shape: Shape): Error {
  const isText = shape === 'text'
  return flowError(
    'flows.not-a-list',
    `Cannot take the items of ${isText ? 'a text that is no JSON list' : 'something that is not a list'}`,
    isText
      ? 'Take its lines with `lines`, or refer to a list'
      : 'Refer to the list itself, for example `${search.result.items}`',
  )
}
