/** Fills the bindings of the check with values, and splits the result of a step into its outputs. Pure. */
import type { Labelled } from '../../labels/labelled.ts'
import type { Binding } from '../check/bind-inputs.ts'
import type { CheckedOutput } from '../check/checked-flow.ts'
import { flowError, shown } from '../flow-errors.ts'
import { within } from '../language/json-place.ts'
import { type OwnWords, resolve, type Scope } from '../language/references.ts'

/** By argument. Throws if a required argument is missing. */
export function argumentsOf(
  bindings: readonly Binding[],
  scope: Scope,
  own: OwnWords,
): Readonly<Record<string, Labelled>> {
  const args = bindings.flatMap((binding) => {
    const value = valueOf(binding, scope, own)
    return value ? [[binding.name, value] as const] : []
  })
  return Object.fromEntries(args)
}

/** By output: the whole result as `result`, and the fields that exist. */
export function outputsFrom(
  outputs: readonly CheckedOutput[],
  result: Labelled,
): Readonly<Record<string, Labelled>> {
  const values = outputs.flatMap(({ name, isAlias }) => {
    const value = isAlias || name === 'result' ? result : result.at(name)
    return value ? [[name, value] as const] : []
  })
  return Object.fromEntries(values)
}

function valueOf(
  { name, isRequired, source }: Binding,
  scope: Scope,
  own: OwnWords,
): Labelled | undefined {
  if (source.kind === 'param') {
    return resolve(source.value, scope, { ...own, place: within(own.place, name) })
  }
  const { key } = source
  const value =
    source.kind === 'automatic'
      ? scope([source.writer.node, source.writer.output.name])
      : scope([key])
  if (value || !isRequired) return value
  throw flowError(
    'flows.missing-input',
    `Cannot run the step: Missing required '${shown(key).slice(1, -1)}' in shared store`,
    `Give it with --${key}, or refer to it in ${own.place}`,
  )
}
