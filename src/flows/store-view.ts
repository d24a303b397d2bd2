/**
 * The shared store of a run: flat natural keys that steps hand to each other, and of every step a copy of its own, so
 * that two steps of a kind cannot overwrite each other unseen. What the flow was given is never overwritten: a server
 * that calls its answer like one of the owner's words does not become them. Each change gives a new store.
 */
import { OWN_WORDS } from '../kernel/label.ts'
import { Labelled } from '../kernel/labelled.ts'
import type { NodeMapping } from './ir.ts'
import { ownMember } from './own-member.ts'
import type { Scope } from './references.ts'

export interface FlowStore {
  /** By natural key, or what a mapping made of it. */
  readonly values: ReadonlyMap<string, Labelled>
  /** All that a step gave, by its id. */
  readonly steps: ReadonlyMap<string, Labelled>
  /** Which step wrote a key last. */
  readonly writers: ReadonlyMap<string, string>
}

/** A key that was written before, or may not be written: then it is only under the step's own name. */
export interface Collision {
  readonly key: string
  readonly node: string
  readonly kind: 'overwritten' | 'given' | 'reserved'
  /** Whose value it was. */
  readonly before?: string
}

export interface StepOutput {
  readonly node: string
  readonly mapping?: NodeMapping | undefined
  readonly outputs: Readonly<Record<string, Labelled>>
}

export const EMPTY_STORE: FlowStore = { values: new Map(), steps: new Map(), writers: new Map() }

/** What is piped in; and whatever begins with two underscores, which is ours. */
export function isReserved(key: string): boolean {
  return key === 'stdin' || key.startsWith('__')
}

/** The key of the store that a node's own key stands for. */
export function inputKey(mapping: NodeMapping | undefined, key: string): string {
  return ownMember(mapping?.input_mappings ?? {}, key) ?? key
}

export function outputKey(mapping: NodeMapping | undefined, key: string): string {
  return ownMember(mapping?.output_mappings ?? {}, key) ?? key
}

/** Before the first step: what the flow is given, `stdin` included. */
export function withInputs(
  store: FlowStore,
  inputs: Readonly<Record<string, Labelled>>,
): FlowStore {
  return { ...store, values: new Map([...store.values, ...Object.entries(inputs)]) }
}

export function withOutputs(
  store: FlowStore,
  { node, mapping, outputs }: StepOutput,
): { readonly store: FlowStore; readonly collisions: readonly Collision[] } {
  const entries = Object.entries(outputs).map(
    ([key, value]) => [outputKey(mapping, key), value] as const,
  )
  const free = entries.filter(([key]) => !isReserved(key) && !isOwners(store, key))
  const steps = new Map([...store.steps, [node, Labelled.object(outputs, OWN_WORDS)]])
  return {
    store: {
      values: new Map([...store.values, ...free]),
      steps,
      writers: new Map([...store.writers, ...free.map(([key]) => [key, node] as const)]),
    },
    collisions: entries.flatMap(([key]) => collisionsOf(store, node, key)),
  }
}

/**
 * A name of a step means that step and nothing else, also before it ran. Fields of an answer that nobody described can
 * be named like outputs.
 */
export function scopeOf(store: FlowStore, nodes: ReadonlySet<string>): Scope {
  return ([root, ...steps]) => {
    if (!nodes.has(root)) return store.values.get(root)?.at(...steps)
    const step = store.steps.get(root)
    return step?.at(...steps) ?? step?.at('result', ...steps)
  }
}

function collisionsOf(store: FlowStore, node: string, key: string): readonly Collision[] {
  if (isReserved(key)) return [{ key, node, kind: 'reserved' }]
  if (isOwners(store, key)) return [{ key, node, kind: 'given' }]
  const before = store.writers.get(key)
  // A step that runs again replaces its own words.
  return before === undefined || before === node ? [] : [{ key, node, kind: 'overwritten', before }]
}

/** It is there, and no step wrote it. */
function isOwners({ values, writers }: FlowStore, key: string): boolean {
  return values.has(key) && !writers.has(key)
}
