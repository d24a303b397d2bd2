/** Builds the arguments of a step from the store, and computes the result of an operator. */
import { FILES } from '../../kernel/built-in-tools.ts'
import { type Label, OWN_WORDS } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { applyOperation, isOperator, parseOperation } from '../operators/operation.ts'
import { guardKey } from '../language/guard-key.ts'
import type { FlowNode, Guard } from '../language/ir.ts'
import { findReferences, type Scope } from '../language/references.ts'
import { countArguments, type Version } from './bit-budget.ts'
import { nameOf } from './journal.ts'
import { argumentsOf } from './step-values.ts'
import { ownWords, type RunContext, type Turn } from './run-context.ts'

type Args = Readonly<Record<string, Labelled>>

/** The arguments that the flow binds; for file tools also the folder of the run, which the host sets. */
export function argumentsFor(context: RunContext, turn: Turn, scope: Scope): Args {
  const { planned } = turn
  const args = argumentsOf(planned.args, scope, ownWords(context, `${planned.place}.params`))
  const { folder } = context.plan.options
  if (planned.tool?.server !== FILES || folder === undefined) return args
  const from = { kind: 'host', what: 'the folder of the run' } as const
  return { ...args, folder: new Labelled(folder, { label: OWN_WORDS, from }) }
}

interface Counted {
  readonly turn: Turn
  readonly scope: Scope
  readonly args: Args
  readonly item?: number
}

/** Counts what untrusted booleans and enums say in the arguments of a call. */
export function countIn(context: RunContext, { turn, scope, args, item }: Counted): void {
  const { node, planned, round } = turn
  if (!planned.tool) return
  const version = versionIn(
    context,
    nameOf({ node: node.id, round, ...(item !== undefined && { item }) }),
  )
  countArguments(context.progress.budget, planned.args, args, { scope, version })
}

export function guardKeyIn(
  context: RunContext,
  { id }: FlowNode,
  guard: Guard,
  label: Label,
): string {
  const round = context.progress.rounds.get(id) ?? 1
  const version = versionIn(context, nameOf({ node: id, round }))
  const roots = findReferences([guard.left, guard.right], '').flatMap(({ path }) =>
    path ? [path[0]] : [],
  )
  return `${guardKey(guard, label)} ${roots.map(version).join(' ')}`
}

/**
 * A step's output is another value in each round, and an input of the run is always the same. Any other key may have
 * been written meanwhile, so each step that reads it counts for itself.
 */
export function versionIn({ plan, progress }: RunContext, reader: string): Version {
  return (root) => {
    const round = progress.rounds.get(root)
    if (Object.hasOwn(plan.nodes, root)) return `@${round ?? 0}`
    return Object.hasOwn(plan.inputs, root) ? '' : `in ${reader}`
  }
}

/** An operator is deterministic, so a resumed run computes its result again. */
export function operate(context: RunContext, turn: Turn, args: Args, scope: Scope): Labelled {
  const { planned, node } = turn
  const reading = isOperator(planned.type) ? parseOperation(planned.type, node.params) : undefined
  if (reading?.kind !== 'operation') throw new TypeError('A node is a tool or an operator')
  const own = ownWords(context, `${planned.place}.params`)
  const items = args['items'] ?? new Labelled(null, { label: own.label })
  return applyOperation(reading.operation, { items, scope, own })
}
