/** Checks a flow with the real policy, and converts the report to a view for people and programs. */
import type { FlowCheck, FlowForecast } from '../../ports/flow-port.ts'
import type { Json } from '../../text/json.ts'
import type { Integrity, Label } from '../../labels/label.ts'
import type { LabelTree } from '../../labels/label-tree.ts'
import { Labelled } from '../../labels/labelled.ts'
import type { Policy } from '../../kernel/ports.ts'
import type { Principal } from '../../kernel/principal.ts'
import type { Template, Verdict } from '../../kernel/tool-call.ts'
import { showTool } from '../../kernel/tool-id.ts'
import type { ForeseenCall, ForeseenStep } from './foresee.ts'
import { checkFlow, type CheckReport } from './check-flow.ts'
import type { FlowIr } from '../language/ir.ts'
import type { NodeIndex } from '../nodes/node-index.ts'
import { ownMember } from '../language/own-member.ts'
import { pinFlow } from './pin-flow.ts'

export interface ForesightRequest {
  readonly ir: FlowIr
  readonly nodeIndex: NodeIndex
  readonly policy: Pick<Policy, 'decide'>
  readonly principal: Principal
  readonly plan: Integrity
  /** The label of the flow's own literals, if it is more than the plan's integrity. */
  readonly words?: Label | undefined
  readonly template?: Template | undefined
  readonly given?: ReadonlySet<string>
  readonly inputLabels?: ReadonlyMap<string, LabelTree>
}

export function foreseeFlow(request: ForesightRequest): CheckReport {
  const { ir, nodeIndex, plan, words, given, inputLabels } = request
  return checkFlow({
    ir,
    nodeIndex,
    plan,
    ...(words && { words }),
    predict: (call) => predict(request, call),
    ...(given && { given }),
    ...(inputLabels && { inputLabels }),
  })
}

/** Values do not exist yet; the policy looks at their labels. */
function predict({ policy, principal, template }: ForesightRequest, call: ForeseenCall): Verdict {
  const { facts, args, plan, control } = call
  const labelled = args.map(({ name, label }) => [name, new Labelled('', { label })] as const)
  const task = { id: 'foreseen', step: 'foreseen', plan, control, callsBefore: 0 }
  return policy.decide(
    {
      callId: 'foreseen',
      principal,
      tool: facts.id,
      args: Object.fromEntries(labelled),
      task: { ...task, ...(template && { template }) },
    },
    facts,
  )
}

export function tellCheck(ir: FlowIr, report: CheckReport): FlowCheck {
  const { isSound, findings, steps, safety } = report
  const needs = new Map(report.needs.map((need) => [need.name, need]))
  return {
    isSound,
    findings,
    needs: [...needs.values()].map(({ name, type }) => {
      const { description, required = true } = ownMember(ir.inputs, name) ?? {}
      return { name, type, required, ...(description !== undefined && { description }) }
    }),
    steps: steps.map(forecastOf),
    safety,
    ir: pinFlow(ir, report) as unknown as Json,
  }
}

function forecastOf({ node, facts, effect, verdict, isCertain, args }: ForeseenStep): FlowForecast {
  return {
    node,
    tool: showTool(facts.id),
    effect,
    ...(facts.clearance.others === 'public' && { isOpen: true }),
    verdict: verdict.kind,
    rule: verdict.rule,
    ...(verdict.kind !== 'allow' && { reason: verdict.reason }),
    isCertain,
    args: args.map(({ name, role, label, from }) => {
      return { name, role, integrity: label.integrity, level: label.level, from }
    }),
  }
}
