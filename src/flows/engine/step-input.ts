/** Builds the arguments of a step from the store, and computes the result of an operator. */
import { FILES } from '../../kernel/built-in-tools.ts'
import { OWN_WORDS } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { applyOperation, isOperator, parseOperation } from '../operators/operation.ts'
import type { Scope } from '../language/references.ts'
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

/** An operator is deterministic, so a resumed run computes its result again. */
export function operate(context: RunContext, turn: Turn, args: Args, scope: Scope): Labelled {
  const { planned, node } = turn
  const reading = isOperator(planned.type) ? parseOperation(planned.type, node.params) : undefined
  if (reading?.kind !== 'operation') throw new TypeError('A node is a tool or an operator')
  const own = ownWords(context, `${planned.place}.params`)
  const items = args['items'] ?? new Labelled(null, { label: own.label })
  return applyOperation(reading.operation, { items, scope, own })
}
