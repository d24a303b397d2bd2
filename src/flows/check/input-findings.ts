/**
 * Finds inputs that somebody gave and that the flow does not take, and values of another type than the flow declares: a
 * wrong name must not be ignored, and a comparison with a text for a number would be false for every item. Pure.
 */
import { closestNames } from '../../text/closest-names.ts'
import { Labelled } from '../../labels/labelled.ts'
import { OWN_WORDS } from '../../labels/label.ts'
import { typeNamed } from '../../text/type-named.ts'
import { mapRecord } from '../../text/map-record.ts'
import { shown } from '../flow-errors.ts'
import { wordsFor } from '../grammar/read-value.ts'
import type { FlowInput, FlowIr } from '../language/ir.ts'
import { ownMember } from '../language/own-member.ts'
import { findReferences } from '../language/references.ts'
import { isOfType, typeOfValue } from '../language/value-type.ts'
import { judge, type Shape, shapeOf } from '../operators/peek.ts'
import type { Json } from '../../text/json.ts'
import type { CheckReport } from './check-flow.ts'
import { didYouMean, errorAt, type Finding } from './finding.ts'

export function inputFindings(
  ir: FlowIr,
  { bindings, nodes }: Pick<CheckReport, 'bindings' | 'nodes'>,
  typed: readonly string[],
): readonly Finding[] {
  const read = [...bindings.values()].flat().flatMap(({ source }) => {
    return source.kind === 'param' ? [] : [source.key]
  })
  const named = findReferences([ir.nodes, ir.outputs] as unknown as Json, '').flatMap(
    ({ path }) => path?.slice(0, 1) ?? [],
  )
  const taken = new Set([...Object.keys(ir.inputs), ...read, ...named.map(String), 'stdin'])
  const known = [...taken].filter((name) => name !== 'stdin' && !nodes.has(name))
  return typed.filter((name) => !taken.has(name)).map((name) => unknownInput(name, known, ir))
}

function unknownInput(name: string, known: readonly string[], { inputs }: FlowIr): Finding {
  const named = known.filter((one) => ownMember(inputs, one) !== undefined)
  const all = named.length > 0 ? named : known
  const otherwise = all.length === 0 ? 'Leave it out' : `It takes ${all.slice(0, 10).join(', ')}`
  const hint = didYouMean(closestNames(name, known), otherwise)
  return errorAt(`inputs.${name}`, 'input.unknown', `The flow takes no input ${shown(name)}`, hint)
}

export function defaultFindings(name: string, input: FlowInput): readonly Finding[] {
  const place = `inputs.${name}.default`
  const { default: value } = input
  if (value === undefined) return []
  const referring = findReferences(value, place).map(({ text }) => {
    const hint = 'Write the value itself, or `$${` where the text is meant'
    return errorAt(place, 'reference.bad', `A default cannot refer to ${shown(text)}`, hint)
  })
  if (referring.length > 0 || isInputOfType(value, input)) return referring
  const type = typeNamed(input.type)
  const message = `${shown(name)} takes ${type}, and its default is ${typeOfValue(value)}`
  const hint = `Write a default of type ${type}, or correct the type`
  return [errorAt(place, 'type.mismatch', message, hint)]
}

/** An optional input may be given as null: it is left open. */
function isInputOfType(value: Json, { type, required }: FlowInput): boolean {
  return isOfType(value, typeNamed(type)) || (value === null && required === false)
}

const SHAPES: Readonly<Record<Shape, string>> = {
  null: 'null',
  boolean: 'true or false',
  number: 'a number',
  text: 'a text',
  list: 'a list',
  object: 'an object',
}

/** The message has the shape of the value, never the value itself: it may be untrusted or a secret. */
export function wrongInputs(
  { inputs }: FlowIr,
  given: Readonly<Record<string, Labelled>>,
): readonly Finding[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const input = ownMember(inputs, name)
    if (!input) return []
    const isRight = (bare: Json | undefined): boolean => isInputOfType(bare ?? null, input)
    if (judge([{ value, label: value.label }], isRight).answer) return []
    const type = typeNamed(input.type)
    const message = `${shown(name)} takes ${type}, and was given ${SHAPES[shapeOf(value)]}`
    return [errorAt(`inputs.${name}`, 'input.type', message, `Give ${wordsFor(type.split('|'))}`)]
  })
}

/** The same for values that the owner wrote into a schedule. */
export function wrongOwnInputs(
  ir: FlowIr,
  given: Readonly<Record<string, Json>>,
): readonly Finding[] {
  return wrongInputs(
    ir,
    mapRecord(given, (value) => new Labelled(value, { label: OWN_WORDS })),
  )
}
