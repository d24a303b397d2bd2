/**
 * Static analysis of the data flow: which labels could reach which argument, computed before the run. It is
 * conservative: a key that two steps may write has the labels of both, a model's output has the labels of all it was
 * shown, a value whose existence untrusted data decides counts as chosen by that data, and loops are iterated to a
 * fixpoint.
 */
import { type Integrity, isTrusted, joinLabels, type Label, OWN_WORDS } from '../../labels/label.ts'
import { chosenTree, type LabelTree } from '../../labels/label-tree.ts'
import { toldLabel } from '../../labels/told-label.ts'
import { DEFAULT_ACTION } from '../engine/error-actions.ts'
import type { FlowEdge } from '../language/ir.ts'
import { ownMember } from '../language/own-member.ts'
import type { Path } from '../language/references.ts'
import type { Binding, Bindings, Source } from './bind-inputs.ts'
import type { CheckedFlow, CheckedNode } from './checked-flow.ts'
import { edgeAction } from './flow-graph.ts'
import {
  bounded,
  branchAt,
  flatLabel,
  itemTree,
  joinTrees,
  type LookUp,
  templateTree,
} from './label-trees.ts'
import { leftBehind, outputTree, type StepLabels, storeOf } from './output-tree.ts'

export interface LabelRequest {
  readonly flow: CheckedFlow
  readonly bindings: Bindings
  /** The label of values written in the flow itself. */
  readonly own: Label
  /** Labels of the values that the run is given. */
  readonly inputTree: (key: string) => LabelTree
}

/** The integrity of the decisions that make a step run; `bits` counts the untrusted choices on the way. */
export interface Control {
  readonly integrity: Integrity
  readonly bits: number
}

export interface LabelledStep {
  readonly args: ReadonlyMap<string, LabelTree>
  readonly control: Control
}

export interface LabelFlow {
  readonly steps: ReadonlyMap<string, LabelledStep>
  lookUp(path: Path): LabelTree
}

/** Far more rounds than a fixpoint needs; without one, every output gets the join of all labels. */
const MAX_ROUNDS = 60

/** `isFirst`: ignores back edges, which gives the labels of each step's first execution. */
export function flowLabels(request: LabelRequest, isFirst: boolean): LabelFlow {
  const { flow } = request
  const outputs = new Map<string, LabelTree>()
  const rounds = flow.graph.back.size > 0 && !isFirst ? MAX_ROUNDS : 1
  const look = lookIn(request, outputs, isFirst)
  const left = leftIn(request.flow, isFirst)
  // One more round after nothing changed: a step may have read another step's labels before they were final.
  let calm = 0
  for (let round = 0; round < rounds && calm < 2; round += 1) {
    calm = goRound(request, look, outputs, left) ? calm + 1 : 0
  }
  if (rounds > 1 && calm < 2) raiseAll(outputs, request.own)
  return {
    steps: new Map(flow.graph.order.map((id) => [id, stepOf(request, look, id, isFirst)])),
    lookUp: (path) => look(undefined, path),
  }
}

/** Whether no label changed. */
function goRound(
  request: LabelRequest,
  look: Look,
  outputs: Map<string, LabelTree>,
  left: Left,
): boolean {
  let isCalm = true
  for (const id of request.flow.graph.order) {
    const before = outputs.get(id)
    const args = argsOf(request, look, id)
    const after = settle(request, id, before, { ...args, before: left.before(id) })
    left.by(id, args)
    outputs.set(id, after)
    isCalm = isCalm && before !== undefined && isSame(before, after)
  }
  return isCalm
}

interface Left {
  /** Labels left in the files or with the server of this step, by steps that can have run before. */
  before(id: string): Label | undefined
  by(id: string, args: Arguments): void
}

function leftIn({ graph, nodes }: CheckedFlow, isFirst: boolean): Left {
  const left = new Map<string, Map<string, Label>>()
  const inStore = (id: string): Map<string, Label> | undefined => {
    const checked = nodes.get(id)
    const store = checked && storeOf(checked)
    if (store === undefined) return undefined
    const known = left.get(store) ?? new Map<string, Label>()
    left.set(store, known)
    return known
  }
  const canHaveRun = (other: string, id: string): boolean =>
    isFirst ? graph.isBefore(other, id) : graph.reaches(other, id)
  return {
    before: (id) =>
      toldLabel([...(inStore(id) ?? [])].flatMap(([by, one]) => (canHaveRun(by, id) ? [one] : []))),
    by(id, { args }) {
      const checked = nodes.get(id)
      const label = checked && leftBehind(checked, args.values())
      if (label) inStore(id)?.set(id, label)
    },
  }
}

type Look = (at: CheckedNode | undefined, path: Path) => LabelTree

/**
 * Inside a loop keep one joined label per node, for a fixpoint in few rounds. The outputs of a tool keep their parts:
 * only level and origins depend on the arguments, and those only grow.
 */
function settle(
  { flow, own }: LabelRequest,
  id: string,
  before: LabelTree | undefined,
  { guard, ...given }: Arguments & Pick<StepLabels, 'before'>,
): LabelTree {
  const checked = flow.nodes.get(id)
  const tree = checked ? outputTree({ checked, own, ...given }) : { label: own }
  const after = bounded(isTrusted(guard) ? tree : chosenTree(tree, guard))
  if (!flow.graph.reaches(id, id) || checked?.known?.descriptor.kind === 'mcp') return after
  const flat = { label: flatLabel(after) }
  return before ? joinTrees(before, flat) : flat
}

function isSame(before: LabelTree, after: LabelTree): boolean {
  const [a, b] = [flatLabel(before), flatLabel(after)]
  return (
    a.integrity === b.integrity &&
    a.level === b.level &&
    a.origins.size === b.origins.size &&
    a.bound?.kind === b.bound?.kind &&
    a.bound?.of === b.bound?.of
  )
}

function raiseAll(outputs: Map<string, LabelTree>, own: Label): void {
  const label = [...outputs.values()].map(flatLabel).reduce(joinLabels, own)
  for (const id of outputs.keys()) outputs.set(id, { label })
}

function lookIn(
  { flow, own, inputTree }: LabelRequest,
  outputs: ReadonlyMap<string, LabelTree>,
  isFirst: boolean,
): Look {
  const { graph } = flow
  const canHaveRun = (id: string, other: string): boolean =>
    isFirst ? graph.isBefore(id, other) : graph.reaches(id, other)
  const byOthers: Label = { ...own, integrity: 'external' }
  /**
   * A step that may have been skipped: whether its output exists depends on untrusted outcomes, so it counts as chosen.
   */
  const left = (at: CheckedNode | undefined, node: string): LabelTree => {
    const tree = outputs.get(node) ?? { label: own }
    return !at || graph.isCertainFor(node, at.node.id) ? tree : chosenTree(tree, byOthers)
  }
  return (at, [root, ...steps]) => {
    if (flow.nodes.has(root)) return branchAt(left(at, root), steps)
    // No step overwrites a value that the run is given.
    const all = flow.given?.has(root) ? [] : (flow.writers.get(root) ?? [])
    const writers = all.filter(({ node }) => !at || canHaveRun(node, at.node.id))
    const inputs = isInput(flow, root) || writers.length === 0 ? [inputTree(root)] : []
    const written = writers.map(({ node, output }) => branchAt(left(at, node), [output.name]))
    const [first = { label: own }, ...others] = [...inputs, ...written]
    return branchAt(
      others.reduce((all, one) => bounded(joinTrees(all, one)), first),
      steps,
    )
  }
}

function isInput({ ir, given }: CheckedFlow, key: string): boolean {
  return ownMember(ir.inputs, key) !== undefined || (given?.has(key) ?? key === 'stdin')
}

interface Arguments {
  readonly args: ReadonlyMap<string, LabelTree>
  readonly lookUp: LookUp
  /** The labels of the `forEach` list. */
  readonly items: LabelTree | undefined
  /** The label of the node's `when` condition. */
  readonly guard: Label
}

function argsOf({ flow, bindings, own }: LabelRequest, look: Look, id: string): Arguments {
  const checked = flow.nodes.get(id)
  const { forEach, when } = checked?.node ?? {}
  const plain: LookUp = (path) => look(checked, path)
  const guard = when ? flatLabel(templateTree([when.left, when.right], plain, own)) : OWN_WORDS
  const items = forEach && templateTree(forEach.items, plain, own)
  const lookUp: LookUp = (path) => {
    const [root, ...steps] = path
    return items && root === forEach?.as ? branchAt(itemTree(items), steps) : plain(path)
  }
  const args = (bindings.get(id) ?? []).map(
    ({ name, source }: Binding) => [name, sourceTree(source, lookUp, own)] as const,
  )
  return { args: new Map(args), lookUp, items, guard }
}

function sourceTree(source: Source, lookUp: LookUp, own: Label): LabelTree {
  switch (source.kind) {
    case 'param':
      return templateTree(source.value, lookUp, own)
    case 'automatic':
      return lookUp([source.writer.node, source.writer.output.name])
    default:
      return lookUp([source.key])
  }
}

function stepOf(request: LabelRequest, look: Look, id: string, isFirst: boolean): LabelledStep {
  const { args } = argsOf(request, look, id)
  return { args, control: controlOf(request, look, id, isFirst) }
}

function controlOf({ flow, own }: LabelRequest, look: Look, id: string, isFirst: boolean): Control {
  const { graph, nodes } = flow
  const isOnTheWay = (other: string): boolean =>
    other === id || (isFirst ? graph.isBefore(other, id) : graph.reaches(other, id))
  const guards = [...nodes.values()].filter((one) => {
    const { when, id: other } = one.node
    if (!when || !isOnTheWay(other)) return false
    const lookUp: LookUp = (path) => look(one, path)
    return !isTrusted(flatLabel(templateTree([when.left, when.right], lookUp, own)))
  })
  const ends = graph.edges.filter(
    (edge) =>
      edgeAction(edge) !== DEFAULT_ACTION &&
      isOnTheWay(edge.from) &&
      isOnTheWay(edge.to) &&
      (!isFirst || !graph.back.has(edge)),
  )
  const bits = guards.length + ends.reduce((sum, { max = 1 }) => sum + max, 0)
  const isGuarded = guards.some(({ node }) => node.id === id)
  const isChosen = ends.some(({ from, to }) => to === id || isDecisive(flow, from, to, id))
  const isRepeated = !isFirst && graph.into(id).some((edge) => isChosenBack(flow, edge))
  return { integrity: isGuarded || isChosen || isRepeated ? 'external' : own.integrity, bits }
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
