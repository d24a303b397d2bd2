/**
 * Everything that can be known of a flow before it runs: whether it makes sense, what it needs, what could reach which
 * tool, what the policy will say to each call, and the least that its `safety` must declare. Pure: it calls nothing and
 * starts nothing. Mistakes in the flow are findings, never thrown.
 */
import { type Integrity, type Label, OWN_WORDS } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import type { Verdict } from '../../kernel/tool-call.ts'
import { type Bindings, bindInputs } from './bind-inputs.ts'
import { referenceFindings } from './check-references.ts'
import { edgeFindings, nodeFindings } from './check-shape.ts'
import { nameFindings, type Need, needFindings, needsOf, valueFindings } from './check-values.ts'
import { checkedNode, type CheckedFlow, type CheckedNode, writersOf } from './checked-flow.ts'
import { errorAt, type Finding } from './finding.ts'
import { createGraph } from './flow-graph.ts'
import { deniedFindings, foresee, type ForeseenCall, type ForeseenStep } from './foresee.ts'
import { joinTrees } from './label-trees.ts'
import { claimFindings, type SafetyFloor, safetyFloor } from './safety-floor.ts'
import type { FlowIr } from '../language/ir.ts'
import type { NodeIndex } from '../nodes/node-index.ts'
import { ownMember } from '../language/own-member.ts'

export interface CheckRequest {
  readonly ir: FlowIr
  readonly nodeIndex: NodeIndex
  /** What the policy would say. */
  predict(call: ForeseenCall): Verdict
  /** The integrity of the flow's author; the owner's where absent. */
  readonly plan?: Integrity
  /** The inputs that the run will be given. Absent: not known yet, so missing inputs are listed and are no errors. */
  readonly given?: ReadonlySet<string>
  /** Labels of the inputs that are not the owner's own. */
  readonly inputLabels?: ReadonlyMap<string, LabelTree>
}

export interface CheckReport {
  readonly isSound: boolean
  readonly findings: readonly Finding[]
  readonly needs: readonly Need[]
  /** Where each argument of each node comes from. */
  readonly bindings: Bindings
  /** Every call of a tool, in order. */
  readonly steps: readonly ForeseenStep[]
  readonly safety: SafetyFloor
  /** By id, with the outputs of each node. */
  readonly nodes: ReadonlyMap<string, CheckedNode>
}

/** Standard input is untrusted: anybody may have written it. */
export const STDIN_WORDS: Label = {
  integrity: 'external',
  level: 'internal',
  origins: new Set(['stdin']),
}

export function checkFlow(request: CheckRequest): CheckReport {
  const { flow, findings } = readFlow(request)
  const bindings = bindInputs(flow)
  const needs = needsOf(flow, bindings)
  const own: Label = { ...OWN_WORDS, integrity: request.plan ?? OWN_WORDS.integrity }
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
    findings: [...empty, ...readings.flatMap(({ findings }) => findings)],
  }
}

/** An input that may take its default also has the label of the flow's author. */
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
