/**
 * Counts the bits that untrusted data decided in a run: choices, loop counts, and booleans and enums in arguments. The
 * same value counts once. Nothing is stored: a resumed run evaluates the same guards and builds the same arguments from
 * the journal, in the same order, so it arrives at the same count.
 */
import { isUntrustedChoice } from '../../labels/label.ts'
import type { Labelled } from '../../labels/labelled.ts'
import type { Binding } from '../check/bind-inputs.ts'
import { pathsOf } from '../check/said-by.ts'
import { pathKey } from '../language/guard-key.ts'
import type { Path, Scope } from '../language/references.ts'
import { bitsSaid } from '../operators/peek.ts'

export class BitBudget {
  /** By the key of the value. */
  readonly #choices = new Map<string, number>()
  readonly #said = new Map<string, number>()

  /** An untrusted choice or count that decided about steps. */
  choose(key: string, bits: number): void {
    this.#choices.set(key, Math.max(bits, this.#choices.get(key) ?? 0))
    this.#said.delete(key)
  }

  /** An untrusted value in an argument. */
  say(key: string, bits: number): void {
    if (!this.#choices.has(key)) this.#said.set(key, Math.max(bits, this.#said.get(key) ?? 0))
  }

  /** `foreseen`: the choices on the way that the check found; one that was not made decided something too. */
  total(foreseen: number): number {
    return sum(this.#said) + Math.max(foreseen, sum(this.#choices))
  }
}

function sum(bits: ReadonlyMap<string, number>): number {
  return [...bits.values()].reduce((so, one) => so + one, 0)
}

/** Tells values under the same name apart: by the round of the step that made them, or by the step that reads them. */
export type Version = (root: string) => string

export function versionedKey(path: Path, version: Version): string {
  return `${pathKey(path)} ${version(path[0])}`
}

interface Bound {
  readonly scope: Scope
  readonly version: Version
}

/** Counts the untrusted booleans and enums among the arguments of a step. Content brings no decision about the call. */
export function countArguments(
  budget: BitBudget,
  bindings: readonly Binding[],
  args: Readonly<Record<string, Labelled>>,
  { scope, version }: Bound,
): void {
  for (const { name, role, source } of bindings) {
    const label = args[name]?.label
    if (!label || role === 'content' || !isUntrustedChoice(label)) continue
    for (const path of pathsOf(source)) {
      const value = scope(path)
      if (value) budget.say(versionedKey(path, version), bitsSaid(value))
    }
  }
}
