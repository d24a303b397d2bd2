/**
 * Static analysis of the control flow: whose data decides that a step runs, and how often. A step depends on its own
 * guard, on the branches that alone lead to it, on the back edges around it, and on the list of its `forEach`. That
 * the run reaches a step at all is not counted: a run that fails tells its owner, and calls nobody.
 */
import { isTrusted, joinLabels, type Label } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import { isRead } from '../../kernel/effect.ts'
import type { Control } from '../../kernel/tool-call.ts'
import { DEFAULT_ACTION } from '../engine/error-actions.ts'
import { countBits, countKey, guardKey } from '../language/guard-key.ts'
import type { FlowEdge } from '../language/ir.ts'
import type { Path } from '../language/references.ts'
import type { CheckedFlow, CheckedNode } from './checked-flow.ts'
import { edgeAction } from './flow-graph.ts'
import { flatLabel, type LookUp, templateTree } from './label-trees.ts'

export type Look = (at: CheckedNode | undefined, path: Path) => LabelTree

export interface ControlRequest {
  readonly flow: CheckedFlow
  readonly own: Label
  readonly look: Look
  /** Ignores back edges. */
  readonly isFirst: boolean
  /** The edges that an untrusted outcome takes. */
  readonly choosing: readonly FlowEdge[]
}

/** Edges that an untrusted outcome takes, and back edges behind one. */
export function choosingEdges(flow: CheckedFlow, isFirst: boolean): readonly FlowEdge[] {
  const { graph } = flow
  return graph.edges.filter((edge) =>
    graph.back.has(edge)
      ? !isFirst && isChosenBack(flow, edge)
      : edgeAction(edge) !== DEFAULT_ACTION,
  )
}

/** The label of the `when` condition of a node. */
export function guardLabel({ own, look }: ControlRequest, checked: CheckedNode): Label | undefined {
  const { when } = checked.node
  const lookUp: LookUp = (path) => look(checked, path)
  return when && flatLabel(templateTree([when.left, when.right], lookUp, own))
}

/**
 * The joined label of the data that decides whether and how often the node runs. Undefined if the plan alone does.
 * `items`: the labels of the node's `forEach` list. A list that decides how often something is read steers nothing.
 */
export function deciderOf(
  request: ControlRequest,
  id: string,
  items: LabelTree | undefined,
): Label | undefined {
  const chooser = chooserOf(request, id)
  if (!items) return chooser
  const integrity = loopOf(request, id, items).isCounted ? 'external' : request.own.integrity
  const { level, origins } = items.label
  const counter: Label = { integrity, level, origins }
  return chooser ? joinLabels(chooser, counter) : counter
}

function chooserOf(request: ControlRequest, id: string): Label | undefined {
  const { flow, look } = request
  const checked = flow.nodes.get(id)
  const guard = checked && guardLabel(request, checked)
  const outcomes = edgesDeciding(request, id).map(({ from }): Label => {
    const { bound: _said, ...said } = flatLabel(look(undefined, [from]))
    // An outcome is one of a few codes, counted in bits: it says how a call ended, and nothing that was in it.
    return { ...said, integrity: 'external', level: 'internal' }
  })
  const [first, ...others] = guard ? [guard, ...outcomes] : outcomes
  return first && others.reduce(joinLabels, first)
}

export function controlOf(
  request: ControlRequest,
  id: string,
  items: LabelTree | undefined,
): Control {
  const { flow, own, isFirst } = request
  const { graph } = flow
  const guards = guardsBefore(request, id)
  const ends = request.choosing.filter((edge) => {
    const isOutcome = edgeAction(edge) !== DEFAULT_ACTION
    return isOutcome && [edge.from, edge.to].every((one) => isOnTheWay(request, one, id))
  })
  const bits = ends.reduce((sum, { max = 1 }) => sum + max, guards.size + countsBefore(request, id))
  const checked = flow.nodes.get(id)
  const guard = checked && guardLabel(request, checked)
  const isGuarded = guard !== undefined && !isTrusted(guard)
  const isChosen = ends.some(({ from, to }) => to === id || isDecisive(flow, from, to, id))
  const isRepeated = !isFirst && graph.into(id).some((edge) => isChosenBack(flow, edge))
  const integrity = isGuarded || isChosen || isRepeated ? 'external' : own.integrity
  const loop = loopOf(request, id, items)
  return {
    integrity: loop.isCounted ? 'external' : integrity,
    bits,
    ...confidentialityOf(withPlan(own, deciderOf(request, id, items))),
    ...(loop.mostTimes !== undefined && { mostTimes: loop.mostTimes }),
  }
}

/** The untrusted guards on the way to the node, the node's own included, each different condition once. */
export function guardsBefore(request: ControlRequest, id: string): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const one of request.flow.nodes.values()) {
    if (!one.node.when || !isOnTheWay(request, one.node.id, id)) continue
    const label = guardLabel(request, one)
    if (label && !isTrusted(label)) keys.add(guardKey(one.node.when, label))
  }
  return keys
}

export function isOnTheWay({ flow, isFirst }: ControlRequest, other: string, id: string): boolean {
  const { graph } = flow
  return other === id || (isFirst ? graph.isBefore(other, id) : graph.reaches(other, id))
}

/** A plan that its author made after reading data of others tells something of that data by each of its steps. */
function withPlan(own: Label, decider: Label | undefined): Label | undefined {
  if (own.origins.size === 0) return decider
  return decider ? joinLabels(own, decider) : own
}

/** Only origins make a choice confidential: without any, it is the owner's own. */
function confidentialityOf(decider: Label | undefined): Pick<Control, 'level' | 'origins'> {
  if (!decider || decider.origins.size === 0) return {}
  return { level: decider.level, origins: [...decider.origins].sort() }
}

interface Loop {
  readonly mostTimes?: number
  /** Whether an untrusted list decides how often something other than a read is done. */
  readonly isCounted: boolean
}

function loopOf(request: ControlRequest, id: string, items: LabelTree | undefined): Loop {
  const checked = request.flow.nodes.get(id)
  const rounds = roundsOf(request, id)
  if (!items || isTrusted(items.label)) {
    return { ...(rounds > 1 && { mostTimes: rounds }), isCounted: false }
  }
  const max = checked?.node.forEach?.max ?? 1
  return { mostTimes: rounds * max, isCounted: changes(checked) }
}

/** The bits of the untrusted loop counts on the way to the node, its own included, each count once. */
function countsBefore(request: ControlRequest, id: string): number {
  const counts = new Map<string, number>()
  for (const one of request.flow.nodes.values()) {
    const { forEach, id: other } = one.node
    if (!forEach || !changes(one) || !isOnTheWay(request, other, id)) continue
    const items = templateTree(forEach.items, (path) => request.look(one, path), request.own)
    if (isTrusted(items.label)) continue
    counts.set(countKey(forEach.items, forEach.max), countBits(forEach.max))
  }
  return [...counts.values()].reduce((sum, one) => sum + one, 0)
}

function changes(checked: CheckedNode | undefined): boolean {
  const effect = checked?.known?.facts?.effect
  return effect !== undefined && !isRead(effect)
}

/** How often the node can run at most, if an untrusted outcome decides that it runs again. */
function roundsOf(request: ControlRequest, id: string): number {
  const { graph } = request.flow
  if (!request.choosing.some((edge) => isBackAround(request, edge, id))) return 1
  const around = [...graph.bounded].filter((edge) => isAround(request, edge, id))
  return around.reduce((sum, { max = 1 }) => sum + max, 1)
}

function isBackAround(request: ControlRequest, edge: FlowEdge, id: string): boolean {
  return isChosenBack(request.flow, edge) && isAround(request, edge, id)
}

function isAround(
  { flow: { graph } }: ControlRequest,
  { from, to }: FlowEdge,
  id: string,
): boolean {
  return (to === id || graph.reaches(to, id)) && (from === id || graph.reaches(id, from))
}

function edgesDeciding(request: ControlRequest, id: string): readonly FlowEdge[] {
  const { flow } = request
  return request.choosing.filter(
    (edge) =>
      edge.to === id ||
      isDecisive(flow, edge.from, edge.to, id) ||
      (flow.graph.back.has(edge) && isAround(request, edge, id)),
  )
}

/** Whether the node runs only if the branch to `to` was taken. */
function isDecisive({ graph }: CheckedFlow, from: string, to: string, id: string): boolean {
  return from !== id && graph.isCertainFor(to, id) && graph.isAlternative(to)
}

/** Whether untrusted data decides about another iteration. */
function isChosenBack({ graph }: CheckedFlow, edge: FlowEdge): boolean {
  const isChosen = edgeAction(edge) !== DEFAULT_ACTION || graph.isAlternative(edge.from)
  return graph.back.has(edge) && isChosen
}
