/**
 * The shared store of a run: flat natural keys through which steps pass values to each other, and the outputs of every
 * step under its own id. Never overwrites an input of the flow, so a server cannot replace an input of the owner by
 * giving its output the same name. Immutable: each change returns a new store.
 */
import { OWN_WORDS } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import type { NodeMapping } from '../language/ir.ts'
import { ownMember } from '../language/own-member.ts'
import type { Scope } from '../language/references.ts'

export interface FlowStore {
  /** By natural key, or by the key that a mapping gives instead. */
  readonly values: ReadonlyMap<string, Labelled>
  /** All outputs of a step, by its id. */
  readonly steps: ReadonlyMap<string, Labelled>
  /** The unchanged answer of each step that gives another view of its answer, by its id. */
  readonly answers: ReadonlyMap<string, Labelled>
  /** Keys of `values` that a step wrote; all others are inputs of the flow. */
  readonly written: ReadonlySet<string>
}

export interface StepOutput {
  readonly node: string
  readonly mapping?: NodeMapping | undefined
  readonly outputs: Readonly<Record<string, Labelled>>
  readonly answer?: Labelled | undefined
}

export const EMPTY_STORE: FlowStore = {
  values: new Map(),
  steps: new Map(),
  answers: new Map(),
  written: new Set(),
}

/** Keys that no step writes: standard input, and names with two leading underscores, which are the engine's own. */
export function isReserved(key: string): boolean {
  return key === 'stdin' || key.startsWith('__')
}

/** The key of the store that a mapping gives for a node's own key. */
export function inputKey(mapping: NodeMapping | undefined, key: string): string {
  return ownMember(mapping?.input_mappings ?? {}, key) ?? key
}

export function outputKey(mapping: NodeMapping | undefined, key: string): string {
  return ownMember(mapping?.output_mappings ?? {}, key) ?? key
}

/** Before the first step: the inputs of the flow, `stdin` included. */
export function withInputs(
  store: FlowStore,
  inputs: Readonly<Record<string, Labelled>>,
): FlowStore {
  return { ...store, values: new Map([...store.values, ...Object.entries(inputs)]) }
}

/** An output whose key is reserved, or is an input of the flow, is stored only under the id of its step. */
export function withOutputs(
  store: FlowStore,
  { node, mapping, outputs, answer }: StepOutput,
): FlowStore {
  const entries = Object.entries(outputs).map(
    ([key, value]) => [outputKey(mapping, key), value] as const,
  )
  const free = entries.filter(([key]) => !isReserved(key) && !isInput(store, key))
  return {
    values: new Map([...store.values, ...free]),
    steps: new Map([...store.steps, [node, Labelled.object(outputs, OWN_WORDS)]]),
    answers: answer ? new Map([...store.answers, [node, answer]]) : store.answers,
    written: new Set([...store.written, ...free.map(([key]) => key)]),
  }
}

/**
 * The id of a step always means that step, even before it ran. Fields of an answer without a schema can be referred to
 * as if they were outputs, and the content blocks of an answer in text by their positions.
 */
export function scopeOf(store: FlowStore, nodes: ReadonlySet<string>): Scope {
  return ([root, ...steps]) => {
    if (!nodes.has(root)) return store.values.get(root)?.at(...steps)
    const step = store.steps.get(root)
    const answer = store.answers.get(root)
    return (
      step?.at(...steps) ??
      step?.at('result', ...steps) ??
      answer?.at(...steps) ??
      answer?.at('result', ...steps)
    )
  }
}

function isInput({ values, written }: FlowStore, key: string): boolean {
  return values.has(key) && !written.has(key)
}
