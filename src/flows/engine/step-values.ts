/** Fills the bindings of the check with values, and splits the result of a step into its outputs. Pure. */
import type { Labelled } from '../../labels/labelled.ts'
import type { Binding } from '../check/bind-inputs.ts'
import type { CheckedOutput } from '../check/checked-flow.ts'
import { flowError, shown } from '../flow-errors.ts'
import { within } from '../language/json-place.ts'
import { type OwnWords, resolve, type Scope } from '../language/references.ts'
import { fits, typeOfValue } from '../language/value-type.ts'
import { map } from '../operators/operators.ts'
import { readJson, textOfAnswer } from '../operators/peek.ts'

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
  const values = outputs.flatMap(({ name, isAlias, asText }) => {
    const value = isAlias || name === 'result' ? viewed(result, asText) : result.at(name)
    return value ? [[name, value] as const] : []
  })
  return Object.fromEntries(values)
}

/** By output of a node with `forEach`, whose value is an object with these members. */
export function outputsOfEach(
  outputs: readonly CheckedOutput[],
  value: Labelled,
): Readonly<Record<string, Labelled>> {
  const members = outputs.flatMap(({ name, asText }) => {
    const member = value.at(name)
    if (!member) return []
    return [[name, asText ? map(member, textOfAnswer) : member] as const]
  })
  return Object.fromEntries(members)
}

/** One item of a node with `forEach`, which has no named outputs. */
export function itemFrom(
  outputs: readonly CheckedOutput[],
  value: Labelled,
): Readonly<Record<string, Labelled>> {
  return { result: viewed(value, outputs.find(({ asText }) => asText)?.asText) }
}

function viewed(value: Labelled, asText: true | undefined): Labelled {
  return asText ? textOfAnswer(value) : value
}

/** A text that spells the declared type as JSON is read as such; every other value is taken as it is. */
export function asDeclared(value: Labelled, type: string): Labelled {
  if (fits('string', type) !== 'never') return value
  return readJson(value, (json) => fits(typeOfValue(json), type) !== 'never') ?? value
}

function valueOf(
  { name, type, isRequired, source }: Binding,
  scope: Scope,
  own: OwnWords,
): Labelled | undefined {
  if (source.kind === 'param') {
    const found = resolve(source.value, scope, { ...own, place: within(own.place, name) })
    return asDeclared(found, type)
  }
  const { key } = source
  const value =
    source.kind === 'automatic'
      ? scope([source.writer.node, source.writer.output.name])
      : scope([key])
  if (value) return asDeclared(value, type)
  if (!isRequired) return undefined
  throw flowError(
    'flows.missing-input',
    `Cannot run the step: Missing required '${shown(key).slice(1, -1)}' in shared store`,
    `Give it with --${key}, or refer to it in ${own.place}`,
  )
}
