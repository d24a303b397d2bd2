/**
 * Asks the owner before the first step, once instead of step by step: about the plan as a whole where its questions have
 * bounds, otherwise about all calls that are certain to come and whose arguments are already known. Permits nothing: each call still passes the door, is judged by
 * the facts of that moment, and finds its answer there or asks for itself.
 */
import { askFirst } from '../../kernel/call-tool.ts'
import { CordonError } from '../../kernel/error.ts'
import type { FlowGraph } from '../check/flow-graph.ts'
import type { FlowNode } from '../language/ir.ts'
import { ownMember } from '../language/own-member.ts'
import { findReferences } from '../language/references.ts'
import { scopeOf } from './store-view.ts'
import { type CallStep, requestFor } from './call-step.ts'
import type { RunContext, Turn } from './run-context.ts'
import type { PlannedArgument, RunPlan } from '../runs/run-plan.ts'
import { argumentsFor } from './step-input.ts'

export async function askAhead(context: RunContext, graph: FlowGraph): Promise<void> {
  const { plan, run, door } = context
  if (plan.options.approval !== 'wait' || (await isPlanAllowed(context))) return
  if (run.steps.length > 0) return
  const certain = plan.ir.nodes.filter((node) => isCertain(node, graph))
  const requests = certain.flatMap((node) => {
    const step = stepFor(context, node)
    return step ? [requestFor(context, step, 0)] : []
  })
  if (requests.length > 1) await askFirst(door, requests, run.signal)
}

/** Asks about the plan as a whole. A run that is under way only finds the answer it had. */
async function isPlanAllowed({ plan, run, door }: RunContext): Promise<boolean> {
  const { bounds } = plan
  if (!bounds || !door.approvals.askPlan) return false
  const callId = `${run.id}/plan`
  const isUnderWay = run.steps.length > 0
  return await door.approvals.askPlan({ taskId: run.id, callId, bounds, isUnderWay }, run.signal)
}

/** Whether the node runs on every path through the flow, with a single call. */
function isCertain({ id, when, forEach }: FlowNode, graph: FlowGraph): boolean {
  return !when && !forEach && !graph.isAlternative(id)
}

function stepFor(context: RunContext, node: FlowNode): CallStep | undefined {
  const { plan, progress } = context
  const planned = ownMember(plan.nodes, node.id)
  if (!planned?.tool || !planned.args.every((one) => isKnown(plan, one))) return undefined
  const turn: Turn = { node, planned, round: 1 }
  const scope = scopeOf(progress.store, new Set(Object.keys(plan.nodes)))
  try {
    return { place: { node: node.id, round: 1 }, turn, args: argumentsFor(context, turn, scope) }
  } catch (error) {
    // A missing value is reported when the node has its turn.
    if (error instanceof CordonError) return undefined
    throw error
  }
}

/** Whether only inputs of the flow are used: no step overwrites them, so their values are already final. */
function isKnown(plan: RunPlan, { source }: PlannedArgument): boolean {
  const isGiven = (key: string): boolean =>
    Object.hasOwn(plan.inputs, key) && !Object.hasOwn(plan.nodes, key)
  if (source.kind === 'store') return isGiven(source.key)
  if (source.kind !== 'param') return false
  return findReferences(source.value, '').every(({ path }) => path && isGiven(path[0]))
}
