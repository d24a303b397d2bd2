/**
 * Static analysis of the data flow: which labels could reach which argument, computed before the run. It is
 * conservative: a key that two steps may write has the labels of both, a model's output has the labels of all it was
 * shown, a value whose existence untrusted data decides counts as chosen by that data, and loops are iterated to a
 * fixpoint.
 */
import { joinLabels, type Label } from '../../labels/label.ts'
import { controlledTree, decidedTree, type LabelTree } from '../../labels/label-tree.ts'
import { toldLabel } from '../../labels/told-label.ts'
import type { Control } from '../../kernel/tool-call.ts'
import { ownMember } from '../language/own-member.ts'
import type { Path } from '../language/references.ts'
import type { Binding, Bindings, Source } from './bind-inputs.ts'
import type { CheckedFlow, CheckedNode } from './checked-flow.ts'
import {
  choosingEdges,
  controlOf,
  type ControlRequest,
  deciderOf,
  guardsBefore,
  isOnTheWay,
  type Look,
} from './control-of.ts'
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
import { saidBy } from './said-by.ts'

export interface LabelRequest {
  readonly flow: CheckedFlow
  readonly bindings: Bindings
  /** The label of values written in the flow itself. */
  readonly own: Label
  /** Labels of the values that the run is given. */
  readonly inputTree: (key: string) => LabelTree
}

export interface LabelledStep {
  readonly args: ReadonlyMap<string, LabelTree>
  /** Its `bits` are those of the choices on the way; those of arguments are in `said`. */
  readonly control: Control
  /** The untrusted guards on the way, each different condition once. */
  readonly guards: ReadonlySet<string>
  /** The bits that untrusted booleans and enums say in the arguments, by the value that says them. */
  readonly said: ReadonlyMap<string, number>
}

export interface LabelFlow {
  readonly steps: ReadonlyMap<string, LabelledStep>
  /** Whether a step may run before another, or is that step. */
  isOnTheWay(other: string, id: string): boolean
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
  const choosing = choosingEdges(flow, isFirst)
  const control: ControlRequest = { flow, own: request.own, look, isFirst, choosing }
  // One more round after nothing changed: a step may have read another step's labels before they were final.
  let calm = 0
  for (let round = 0; round < rounds && calm < 2; round += 1) {
    calm = goRound(request, { control, left }, outputs) ? calm + 1 : 0
  }
  if (rounds > 1 && calm < 2) raiseAll(outputs, request.own)
  return {
    steps: new Map(flow.graph.order.map((id) => [id, stepOf(request, control, id)])),
    isOnTheWay: (other, id) => isOnTheWay(control, other, id),
    lookUp: (path) => look(undefined, path),
  }
}

/** Whether no label changed. */
function goRound(
  request: LabelRequest,
  { control, left }: { readonly control: ControlRequest; readonly left: Left },
  outputs: Map<string, LabelTree>,
): boolean {
  let isCalm = true
  for (const id of request.flow.graph.order) {
    const before = outputs.get(id)
    const args = argsOf(request, control.look, id)
    const after = settle(request, id, before, {
      ...args,
      decider: deciderOf(control, id, args.items),
      before: left.before(id),
    })
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

/**
 * Inside a loop keep one joined label per node, for a fixpoint in few rounds. The outputs of a tool keep their parts:
 * only level and origins depend on the arguments, and those only grow.
 */
function settle(
  { flow, own }: LabelRequest,
  id: string,
  before: LabelTree | undefined,
  { decider, ...given }: Decided & Pick<StepLabels, 'before'>,
): LabelTree {
  const checked = flow.nodes.get(id)
  const tree = checked ? outputTree({ checked, own, ...given }) : { label: own }
  const after = bounded(decider ? decidedTree(tree, decider) : tree)
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
    isSameBound(a.bound, b.bound)
  )
}

function isSameBound(a: Label['bound'], b: Label['bound']): boolean {
  return a?.kind === b?.kind && a?.of === b?.of && a?.size === b?.size
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
    return !at || graph.isCertainFor(node, at.node.id) ? tree : controlledTree(tree, byOthers)
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
}

interface Decided extends Arguments {
  /** The label of the data that decides whether the node runs. */
  readonly decider: Label | undefined
}

function argsOf({ flow, bindings, own }: LabelRequest, look: Look, id: string): Arguments {
  const checked = flow.nodes.get(id)
  const { forEach } = checked?.node ?? {}
  const plain: LookUp = (path) => look(checked, path)
  const items = forEach && templateTree(forEach.items, plain, own)
  const lookUp: LookUp = (path) => {
    const [root, ...steps] = path
    return items && root === forEach?.as ? branchAt(itemTree(items), steps) : plain(path)
  }
  const args = (bindings.get(id) ?? []).map(
    ({ name, source }: Binding) => [name, sourceTree(source, lookUp, own)] as const,
  )
  return { args: new Map(args), lookUp, items }
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

function stepOf(request: LabelRequest, control: ControlRequest, id: string): LabelledStep {
  const { args, items, lookUp } = argsOf(request, control.look, id)
  const checked = request.flow.nodes.get(id)
  return {
    args,
    control: controlOf(control, id, items),
    guards: guardsBefore(control, id),
    said: checked ? saidBy(checked, request.bindings.get(id) ?? [], { args, lookUp }) : new Map(),
  }
}
