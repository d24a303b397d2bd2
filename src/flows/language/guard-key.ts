/**
 * Names what untrusted data decides, so that the same value costs its bits once: a guard and an argument that read the
 * same boolean say one bit together. Pure.
 */
import type { Json } from '../../text/json.ts'
import type { Label } from '../../labels/label.ts'
import type { Guard } from './ir.ts'
import { findReferences, type Path, wholeReference } from './references.ts'

export function pathKey(path: Path): string {
  return path.join('.')
}

/** `label`: of both sides of the condition. A condition on one boolean says what that boolean says. */
export function guardKey({ left, op, right }: Guard, label: Label): string {
  const path = typeof left === 'string' ? wholeReference(left) : undefined
  const isPlain = label.bound?.kind === 'bool' && findReferences(right, '').length === 0
  return path && isPlain ? pathKey(path) : `when ${JSON.stringify([left, op, right])}`
}

/** Lists with the same items and the same maximum have the same count. */
export function countKey(items: Json, max: number): string {
  return `count ${max} ${JSON.stringify(items)}`
}

/** The bits of a count between none and `max`. */
export function countBits(max: number): number {
  return Math.ceil(Math.log2(max + 1))
}
