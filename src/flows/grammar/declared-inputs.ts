/**
 * The inputs that a written flow declares, and those that it only refers to: `--path ${file}` needs a `file` even where no
 * line says `input file`. Pure.
 */
import type { Json, JsonObject } from '../../text/json.ts'
import { closestNames } from '../../text/closest-names.ts'
import { findReferences } from '../language/references.ts'
import type { FlowText } from './flow-text.ts'
import type { GivenStep } from './give-data.ts'
import { typeOf } from './node-shape.ts'
import type { Complaint } from './problem.ts'

/** By name, as the IR holds them. */
export type DeclaredInputs = ReadonlyMap<string, JsonObject>

export function declaredInputs({ inputs }: FlowText): DeclaredInputs {
  return new Map(
    inputs.map(({ name, type, description, isOptional, isPiped, default: value }) => [
      name,
      {
        type,
        ...(value === undefined ? { required: isOptional !== true } : { default: value }),
        ...(description !== undefined && { description }),
        ...(isPiped && { stdin: true }),
      },
    ]),
  )
}

export function inputComplaints({ inputs }: FlowText, steps: ReadonlySet<string>): Complaint[] {
  const seen = new Set<string>()
  return inputs.flatMap(({ name, at }) => {
    const isTwice = seen.has(name) || steps.has(name)
    seen.add(name)
    if (!isTwice) return []
    const message = `Cannot declare an input ${JSON.stringify(name)}: something else here has that name`
    return [{ at, code: 'flows.bad-input', message, hint: 'Give it another name' }]
  })
}

/**
 * Names that a flow refers to and that nothing else here has. One that is close to a known name is left out: it is rather a
 * slip, which the check reports with the name that was meant.
 */
export function neededInputs(
  steps: readonly GivenStep[],
  known: ReadonlySet<string>,
): DeclaredInputs {
  const needed = new Map<string, JsonObject>()
  for (const { name, type } of steps.flatMap(bareNames)) {
    if (known.has(name) || needed.has(name) || isSlip(name, known)) continue
    needed.set(name, { type, required: true })
  }
  return needed
}

/** References of a step that are one name only, and not the name of its own item. */
function bareNames(step: GivenStep): readonly { readonly name: string; readonly type: string }[] {
  const own = namesWithin(step)
  const found = valuesOf(step).flatMap(({ value, type }) =>
    findReferences(value, '').map(({ path, isWhole }) => ({ path, type: isWhole ? type : 'any' })),
  )
  return found.flatMap(({ path, type }) => {
    const [name, ...deeper] = path ?? []
    return name === undefined || deeper.length > 0 || own.has(name) ? [] : [{ name, type }]
  })
}

function isSlip(name: string, known: ReadonlySet<string>): boolean {
  return name === 'stdin' || name.startsWith('__') || closestNames(name, [...known]).length > 0
}

/** Names that only this step knows: the item of its list. */
function namesWithin({ step, values }: GivenStep): ReadonlySet<string> {
  const as = values.params.get('as')
  return new Set([
    'item',
    ...(step.each ? [step.each.as] : []),
    ...(typeof as === 'string' ? [as] : []),
  ])
}

function valuesOf({ step, shape, values }: GivenStep): readonly { value: Json; type: string }[] {
  const { each, when } = step
  return [
    ...Array.from(values.params, ([key, value]) => ({ value, type: typeOf(shape, key) ?? 'any' })),
    ...(each ? [{ value: each.items, type: 'array' }] : []),
    ...(when ? [{ value: [when.left, when.right ?? null], type: 'any' }] : []),
  ]
}
