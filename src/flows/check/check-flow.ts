/**
 * Checks a flow before it runs: whether it makes sense, which inputs it needs, which labels could reach which tool,
 * which questions the owner will be asked, and the minimum that it must declare about itself. Pure: calls nothing and
 * starts nothing. Problems are returned as findings; an exception is a bug.
 */
import { type Integrity, type Label, OWN_WORDS } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import type { Verdict } from '../../kernel/tool-call.ts'
import { type Bindings, bindInputs } from './bind-inputs.ts'
import { referenceFindings } from './check-references.ts'
import { edgeFindings, nodeFindings } from './check-shape.ts'
import { nameFindings, type Need, needFindings, needsOf, valueFindings } from './check-values.ts'
import { checkedNode, type CheckedFlow, type CheckedNode, writersOf } from './checked-flow.ts'
import { errorAt, type Finding, noteAt } from './finding.ts'
import { createGraph, type FlowGraph } from './flow-graph.ts'
import { deniedFindings, foresee, type ForeseenCall, type ForeseenStep } from './foresee.ts'
import { joinTrees } from './label-trees.ts'
import { claimFindings, type SafetyFloor, safetyFloor } from './safety-floor.ts'
import type { FlowIr } from '../language/ir.ts'
import type { NodeIndex } from '../nodes/node-index.ts'
import { ownMember } from '../language/own-member.ts'

export interface CheckRequest {
  readonly ir: FlowIr
  readonly nodeIndex: NodeIndex
  /** The policy's verdict about a call. */
  predict(call: ForeseenCall): Verdict
  /** The integrity of the flow's author; absent: the owner's. */
  readonly plan?: Integrity
  /** The label of the flow's own literals, if it is more than the plan's integrity. */
  readonly words?: Label
  /** The keys that the run will be given. Absent: not known yet, so missing inputs are listed but are no errors. */
  readonly given?: ReadonlySet<string>
  /** Labels of given values; a value without labels here is the owner's own, or standard input. */
  readonly inputLabels?: ReadonlyMap<string, LabelTree>
}

export interface CheckReport {
  readonly isSound: boolean
  readonly findings: readonly Finding[]
  readonly needs: readonly Need[]
  /** The source of each argument of each node. */
  readonly bindings: Bindings
  /** Every call of a tool, in order. */
  readonly steps: readonly ForeseenStep[]
  readonly safety: SafetyFloor
  /** Each node with its facts and outputs, by its id. */
  readonly nodes: ReadonlyMap<string, CheckedNode>
  readonly graph: FlowGraph
}

/** The label of standard input: any author, and sensitive, since it may be the output of another run. */
export const STDIN_WORDS: Label = {
  integrity: 'external',
  level: 'sensitive',
  origins: new Set(['stdin']),
}

export function checkFlow(request: CheckRequest): CheckReport {
  const { flow, findings } = readFlow(request)
  const bindings = bindInputs(flow)
  const needs = needsOf(flow, bindings)
  const { plan = OWN_WORDS.integrity, words = OWN_WORDS } = request
  const own: Label = { ...words, integrity: plan }
  const inputTree = (key: string): LabelTree => inputLabels(request, key, own)
  const foresight = foresee({ flow, bindings, own, inputTree }, (call) => request.predict(call))
  const safety = safetyFloor(flow, foresight)
  const all = [
    ...findings,
    ...edgeFindings(flow),
    ...nameFindings(flow),
    ...referenceFindings(flow),
    ...valueFindings(flow, bindings),
    ...needFindings(flow, needs),
    ...deniedFindings(foresight.steps, flow.nodes),
    ...claimFindings(flow, safety),
  ]
  return {
    isSound: all.every(({ severity }) => severity !== 'error'),
    findings: all,
    needs,
    bindings,
    steps: foresight.steps,
    safety,
    nodes: flow.nodes,
    graph: flow.graph,
  }
}

function readFlow({ ir, nodeIndex, given }: CheckRequest): {
  readonly flow: CheckedFlow
  readonly findings: readonly Finding[]
} {
  const readings = ir.nodes.map((node, index) => nodeFindings(node, index, nodeIndex))
  const nodes = new Map(
    ir.nodes.map((node, index) => [node.id, checkedNode(ir, node, index, readings[index]?.known)]),
  )
  const empty =
    ir.nodes.length === 0
      ? [errorAt('nodes', 'flow.empty', 'The flow has no nodes', 'Add a node')]
      : []
  return {
    flow: {
      ir,
      graph: createGraph(ir),
      nodes,
      writers: writersOf(nodes.values()),
      ...(given && { given }),
    },
    findings: [
      ...empty,
      ...olderFindings(ir, nodes),
      ...readings.flatMap(({ findings }) => findings),
    ],
  }
}

/** Only where a tool may answer in text: everything else means what it always meant. */
function olderFindings(
  { answers }: FlowIr,
  nodes: ReadonlyMap<string, CheckedNode>,
): readonly Finding[] {
  const isTold = [...nodes.values()].some(({ known }) =>
    known?.descriptor.outputs.some(({ asText }) => asText),
  )
  if (answers !== 'blocks' || !isTold) return []
  const message =
    'The flow was saved by an earlier version: in it, the answer of a tool in text is a list of content blocks'
  const hint =
    'Change it with `cordon flow edit NAME` to get texts, and look at each `result` in it'
  return [noteAt('', 'flow.older', message, hint)]
}

/** If the default may be used, its label is joined too: the author of the flow wrote it. */
function inputLabels(
  { ir, given, inputLabels: known }: CheckRequest,
  key: string,
  own: Label,
): LabelTree {
  const input = ownMember(ir.inputs, key)
  const isPiped = key === 'stdin' || input?.stdin === true
  const said = known?.get(key) ?? { label: isPiped ? STDIN_WORDS : OWN_WORDS }
  const mayDefault = input?.default !== undefined && !given?.has(key)
  return mayDefault ? joinTrees(said, { label: own }) : said
}
