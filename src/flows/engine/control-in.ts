/**
 * The data that decided about one turn of a node: what the check foresaw, raised by what the guard compared and by who
 * filled the list. Never lowers what was foreseen.
 */
import { isRead } from '../../kernel/effect.ts'
import type { Control } from '../../kernel/tool-call.ts'
import { isTrusted, joinLabels, type Label } from '../../labels/label.ts'
import type { Labelled } from '../../labels/labelled.ts'
import { countBits, countKey } from '../language/guard-key.ts'
import type { ForEach } from '../language/ir.ts'
import type { PlannedNode } from '../runs/run-plan.ts'
import type { BitBudget } from './bit-budget.ts'
import type { Turn } from './run-context.ts'

export function controlIn(turn: Turn, budget: BitBudget): Control {
  const { planned, loop } = turn
  const { integrity, bits } = planned.control
  const decider = [deciderOf(turn), loop?.label].filter((one) => one !== undefined)
  const { level, origins } = decider[0]
    ? decider.reduce(joinLabels)
    : { level: undefined, origins: new Set<string>() }
  const times = timesOf(turn)
  const isExternal = decider.some((one) => one !== loop?.label && !isTrusted(one))
  return {
    integrity: isExternal || isCountedLoop(turn) ? 'external' : integrity,
    bits: budget.total(bits),
    ...(level !== undefined && origins.size > 0 && { level, origins: [...origins].sort() }),
    ...(times !== undefined && { times }),
  }
}

/** The joined label of the data that decided that the node runs. Undefined if the plan alone did. */
export function deciderOf({ planned, guard }: Pick<Turn, 'planned' | 'guard'>): Label | undefined {
  const foreseen = foreseenDecider(planned)
  return guard && foreseen ? joinLabels(guard, foreseen) : (guard ?? foreseen)
}

/** Without an untrusted or confidential choice on the way, undefined. */
function foreseenDecider({ control }: PlannedNode): Label | undefined {
  const { integrity, level, origins = [] } = control
  if (level === undefined) return undefined
  return { integrity, level, origins: new Set(origins) }
}

/** Counts the loop in the budget, unless its calls only read: a number of reads changes nothing. */
export function countLoop(
  budget: BitBudget,
  turn: Turn,
  { items, max }: ForEach,
  version: string,
): void {
  if (isCountedLoop(turn)) budget.choose(`${countKey(items, max)} ${version}`, countBits(max))
}

function isCountedLoop({ planned: { tool, effect }, loop }: Turn): boolean {
  const changes = tool !== undefined && (effect === undefined || !isRead(effect))
  return loop !== undefined && !isTrusted(loop.label) && changes
}

/** In a cycle, the first round is the plan's own; an untrusted outcome decides about each further one. */
function timesOf({ planned: { control }, loop, round }: Turn): number | undefined {
  if (loop && !isTrusted(loop.label)) return loop.times
  return control.mostTimes !== undefined && round > 1 ? round : undefined
}

export function loopOver(list: Labelled, times: number): Required<Turn>['loop'] {
  return { label: list.tree.label, times }
}
