/** Evaluates the `when` condition of a node: yes or no, with the joined label of all values that were compared. */
import type { Guard } from '../language/ir.ts'
import { compares } from './compare.ts'
import { type Judged, judge, type Looked } from './peek.ts'
import {
  type OwnWords,
  type Path,
  resolve,
  type Scope,
  wholeReference,
} from '../language/references.ts'

export function guardHolds(
  { left, op, right }: Guard,
  scope: Scope,
  own: OwnWords,
): Judged<boolean> {
  const than = resolve(right, scope, own)
  const path = op === 'exists' && typeof left === 'string' ? wholeReference(left) : undefined
  const found = path ? lookFor(path, scope, own) : present(resolve(left, scope, own))
  return judge([found, present(than)], (bare, other) => compares(bare, op, other ?? null))
}

function present(value: Exclude<Looked['value'], undefined>): Looked {
  return { value, label: value.label }
}

/** A missing field takes the label of its parent: whoever produced the parent decided to omit it. */
function lookFor([root, ...steps]: Path, scope: Scope, { label }: OwnWords): Looked {
  for (let length = steps.length; length >= 0; length -= 1) {
    const value = scope([root, ...steps.slice(0, length)])
    if (value) return { value: length === steps.length ? value : undefined, label: value.label }
  }
  return { value: undefined, label }
}
