/**
 * Predicts each call of a flow, as far as possible: the labels of its arguments and the policy's verdict. The policy
 * itself is asked, with labels instead of values; nothing is decided here.
 */
import type { Effect } from '../../kernel/effect.ts'
import type { Integrity, Label } from '../../labels/label.ts'
import type { Control, Verdict } from '../../kernel/tool-call.ts'
import type { Role, ToolFacts } from '../../kernel/tool-facts.ts'
import { shown } from '../flow-errors.ts'
import { findReferences } from '../language/references.ts'
import type { Binding } from './bind-inputs.ts'
import type { CheckedNode } from './checked-flow.ts'
import { errorAt, type Finding } from './finding.ts'
import { flowLabels, type LabelFlow, type LabelRequest } from './label-flow.ts'
import { flatLabel } from './label-trees.ts'

export interface ForeseenArgument {
  readonly name: string
  readonly role: Role
  readonly label: Label
  /** The sources, for display: `${search.result}`, `input query`, `the flow`. */
  readonly from: readonly string[]
}

/** The call that the policy judges before the run. */
export interface ForeseenCall {
  readonly facts: ToolFacts
  readonly args: readonly ForeseenArgument[]
  readonly plan: Integrity
  readonly control: Control
}

export interface ForeseenStep extends ForeseenCall {
  readonly node: string
  readonly effect: Effect
  readonly verdict: Verdict
  /** Holds for every run; otherwise only on some paths through the flow. */
  readonly isCertain: boolean
}

export interface Foresight {
  readonly steps: readonly ForeseenStep[]
  readonly labels: LabelFlow
}

export function foresee(
  request: LabelRequest,
  predict: (call: ForeseenCall) => Verdict,
): Foresight {
  const first = flowLabels(request, true)
  const isLoop = request.flow.graph.back.size > 0
  const labels = isLoop ? flowLabels(request, false) : first
  const steps = request.flow.graph.order.flatMap((id) => {
    const checked = request.flow.nodes.get(id)
    const facts = checked?.known?.facts
    if (!checked || !facts) return []
    const call = callOf(request, checked, facts, labels)
    const verdict = predict(withSaid(call, id, labels))
    const isSame =
      !isLoop ||
      predict(withSaid(callOf(request, checked, facts, first), id, first)).kind === verdict.kind
    const isCertain = isSame && !checked.node.when && !request.flow.graph.isAlternative(id)
    return [{ ...call, node: id, effect: facts.effect, verdict, isCertain }]
  })
  return { steps, labels }
}

/**
 * Adds the bits of arguments, of this step and of steps before it. Only for the forecast: the run counts them as they
 * are, so its plan holds the bits of the choices alone.
 */
function withSaid(call: ForeseenCall, id: string, labels: LabelFlow): ForeseenCall {
  const said = new Map<string, number>()
  for (const [other, step] of labels.steps) {
    if (step.said.size === 0 || !labels.isOnTheWay(other, id)) continue
    for (const [key, bits] of step.said) said.set(key, Math.max(bits, said.get(key) ?? 0))
  }
  for (const key of labels.steps.get(id)?.guards ?? []) said.delete(key)
  const bits = [...said.values()].reduce((sum, one) => sum + one, call.control.bits)
  return bits === call.control.bits ? call : { ...call, control: { ...call.control, bits } }
}

function callOf(
  { bindings, own }: LabelRequest,
  { node }: CheckedNode,
  facts: ToolFacts,
  { steps }: LabelFlow,
): ForeseenCall {
  const step = steps.get(node.id)
  const args = (bindings.get(node.id) ?? []).map((binding) => ({
    name: binding.name,
    role: facts.roles.get(binding.name) ?? 'target',
    label: flatLabel(step?.args.get(binding.name) ?? { label: own }),
    from: wordsFor(binding),
  }))
  const control = step?.control ?? { integrity: own.integrity, bits: 0 }
  return { facts, args, plan: own.integrity, control }
}

/** The sources of an argument, for display. */
export function wordsFor({ source }: Binding): readonly string[] {
  switch (source.kind) {
    case 'param': {
      const references = findReferences(source.value, '').map(({ text }) => text)
      return references.length > 0 ? [...new Set(references)] : ['the flow']
    }
    case 'automatic':
      return [`\${${source.writer.node}.${source.writer.output.name}}`]
    case 'store':
      return source.writers.length > 0
        ? source.writers.map(({ node, output }) => `\${${node}.${output.name}}`)
        : [`input ${source.key}`]
    default:
      return [`input ${source.key}`]
  }
}

export function deniedFindings(
  steps: readonly ForeseenStep[],
  nodes: ReadonlyMap<string, CheckedNode>,
): readonly Finding[] {
  return steps.flatMap(({ node, verdict }) => {
    // A blocked tool already has a finding of its own.
    if (verdict.kind !== 'deny' || verdict.rule.startsWith('tool.')) return []
    const message = `${shown(node)} would be refused: ${verdict.reason}`
    const hint = 'Let something else reach it, or leave it out'
    return [errorAt(nodes.get(node)?.place ?? '', 'policy.denied', message, hint)]
  })
}
