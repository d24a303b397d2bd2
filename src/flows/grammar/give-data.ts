/**
 * Computes the store's content before the first step runs. A value typed at a step is stored under the natural key of
 * its input. If another step reads that key too, or an earlier step writes it, the value gets a key of its own and a
 * mapping to it, so that a value typed for one step reaches no other. In `read-file --path a >> write-file` the path to
 * write to is still missing.
 */
import type { Json } from '../../text/json.ts'
import { requiredInputs, typeOf } from './node-shape.ts'
import type { PlacedStep } from './place-steps.ts'
import type { StepValues } from './read-step-flags.ts'
import { createUniqueNames, type UniqueNames } from './unique-names.ts'

export interface GivenStep extends PlacedStep {
  readonly values: StepValues
  /** Whether an edge from an earlier step leads here. */
  readonly isEntered: boolean
}

/** A required input that was not typed and that no earlier step is sure to write. */
export interface MissingInput {
  /** The key of the store under which the value is expected. */
  readonly key: string
  readonly name: string
  readonly type: string
  readonly node: string
  /** Whether an earlier step may still write it under another name; only the checker can tell. */
  readonly mayArrive: boolean
}

export interface GivenValue {
  readonly type: string
  readonly value: Json
}

export interface GivenData {
  readonly data: ReadonlyMap<string, GivenValue>
  /** By node: natural key → key of the store. */
  readonly mappings: ReadonlyMap<string, ReadonlyMap<string, string>>
  readonly missing: readonly MissingInput[]
  /** The input that takes the text of standard input. */
  readonly stdin?: MissingInput
}

interface Ledger {
  readonly data: Map<string, GivenValue>
  readonly mappings: Map<string, Map<string, string>>
  readonly missing: MissingInput[]
  readonly owners: ReadonlyMap<string, string>
  /** Inputs that the flow declares: a step that reads this key takes it from there. */
  readonly declared: ReadonlySet<string>
  readonly keys: UniqueNames
  /** The keys that the steps so far write. */
  readonly written: Set<string>
}

interface Given extends Pick<Ledger, 'declared'> {
  readonly isPiped: boolean
}

/** Standard input goes to the first step: to its first missing input, otherwise to its main input. */
export function giveData(steps: readonly GivenStep[], given: Partial<Given> = {}): GivenData {
  const { isPiped = false, declared = new Set() } = given
  const owners = ownersOf(steps, declared)
  const keys = createUniqueNames()
  for (const key of owners.keys()) keys.add(key)
  const ledger: Ledger = {
    data: new Map(),
    mappings: new Map(),
    missing: [],
    owners,
    declared,
    keys,
    written: new Set(),
  }
  for (const step of steps) enter(ledger, step)
  const stdin = isPiped && steps[0] ? pipedInput(ledger, steps[0]) : undefined
  return stdin ? { ...ledger, stdin } : ledger
}

function enter(ledger: Ledger, step: GivenStep): void {
  for (const [name, value] of step.values.inputs) give(ledger, step, name, value)
  for (const name of requiredInputs(step.shape)) miss(ledger, step, name)
  for (const name of step.shape.outputs ?? []) ledger.written.add(name)
}

function pipedInput(ledger: Ledger, first: GivenStep): MissingInput | undefined {
  return ledger.missing.find(({ node }) => node === first.id) ?? mainInput(ledger, first)
}

function mainInput(ledger: Ledger, step: GivenStep): MissingInput | undefined {
  const { id, shape, values } = step
  const name = shape.main
  if (name === undefined || values.inputs.has(name) || values.params.has(name)) return undefined
  const key = keyFor(ledger, step, name)
  return { key, name, type: typeOf(shape, name) ?? 'any', node: id, mayArrive: false }
}

/** Keys of the store that flags cannot set: standard input and the engine's own. */
const RESERVED = /^(?:stdin$|__)/
const STORE_KEY = /^[A-Za-z0-9_-]{1,64}$/

/**
 * The owner of a natural key is the only step that reads it; no step if several read it, an earlier step writes it, or the
 * flow declares it as an input.
 */
function ownersOf(
  steps: readonly GivenStep[],
  declared: ReadonlySet<string>,
): ReadonlyMap<string, string> {
  const owners = new Map(Array.from(declared, (name) => [name, NOBODY]))
  for (const { id, shape } of steps) {
    const natural = shape.inputs.filter((key) => STORE_KEY.test(key) && !RESERVED.test(key))
    for (const key of natural) owners.set(key, owners.has(key) ? NOBODY : id)
    for (const key of shape.outputs ?? []) if (!owners.has(key)) owners.set(key, NOBODY)
  }
  return owners
}

const NOBODY = ''

function give(ledger: Ledger, step: GivenStep, name: string, value: Json): void {
  const type = typeOf(step.shape, name) ?? 'any'
  ledger.data.set(keyFor(ledger, step, name), { type, value })
}

function miss(ledger: Ledger, step: GivenStep, name: string): void {
  const { id, shape, values, isEntered: mayArrive } = step
  if (values.inputs.has(name) || values.params.has(name)) return
  if (ledger.written.has(name) || ledger.declared.has(name)) return
  const key = mayArrive ? name : keyFor(ledger, step, name)
  ledger.missing.push({ key, name, type: typeOf(shape, name) ?? 'any', node: id, mayArrive })
}

function keyFor(ledger: Ledger, { id }: GivenStep, name: string): string {
  if (ledger.owners.get(name) === id) return name
  const key = ledger.keys.claim(`${id}-${name}`)
  const mapping = ledger.mappings.get(id) ?? new Map<string, string>()
  ledger.mappings.set(id, mapping.set(name, key))
  return key
}
