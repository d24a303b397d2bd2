/** A single turn of a node: evaluates the condition, collects the arguments, runs the node and stores its outputs. */
import type { FlowEvent } from '../../ports/flow-port.ts'
import { CordonError } from '../../kernel/error.ts'
import { isTrusted, type Label } from '../../labels/label.ts'
import { Labelled } from '../../labels/labelled.ts'
import { DEFAULT_ACTION } from './error-actions.ts'
import { decidedBy } from '../operators/peek.ts'
import { guardHolds } from '../operators/guard-holds.ts'
import type { FlowNode } from '../language/ir.ts'
import { ownMember } from '../language/own-member.ts'
import type { Scope } from '../language/references.ts'
import { outputsFrom, outputsOfEach } from './step-values.ts'
import { scopeOf, withOutputs } from './store-view.ts'
import { callStep, type StepEnd } from './call-step.ts'
import { runEach } from './run-each.ts'
import { asJson, nameOf, type StepNote } from './journal.ts'
import { ownWords, type RunContext, type Turn } from './run-context.ts'
import { StepFailed } from './run-ends.ts'
import { isAway } from '../runs/run-errors.ts'
import { shownValues } from './shown-value.ts'
import { deciderOf } from './control-in.ts'
import { argumentsFor, countIn, guardKeyIn, operate } from './step-input.ts'

type Args = Readonly<Record<string, Labelled>>

/** Returns the action that the node ended with. */
export async function runNode(context: RunContext, node: FlowNode): Promise<string> {
  const { plan, progress } = context
  const planned = ownMember(plan.nodes, node.id)
  if (!planned) throw new TypeError('A run knows every node of its flow')
  const round = (progress.rounds.get(node.id) ?? 0) + 1
  progress.rounds.set(node.id, round)
  const scope = scopeOf(progress.store, new Set(Object.keys(plan.nodes)))
  const guard = guardOf(context, node, planned.place, scope)
  const turn: Turn = { node, planned, round, ...(guard.label && { guard: guard.label }) }
  if (!guard.holds) {
    await noteOnce(context, turn, { kind: 'skipped' })
    tell(context, turn, 'skipped')
    return DEFAULT_ACTION
  }
  const began = performance.now()
  const end = await withActions(context, node, () => run(context, turn, scope))
  const ms = performance.now() - began
  tell(context, turn, summaryOf(end), { ms, ...(end.kind === 'action' && { action: end.action }) })
  if (end.kind === 'action') return end.action
  const decider = deciderOf(turn)
  const value = decider ? decidedBy(end.value, decider) : end.value
  const outputs = outputsIn(turn, value)
  const { id } = node
  const mapping = ownMember(plan.ir.mappings, id)
  progress.store = withOutputs(progress.store, {
    node: id,
    mapping,
    outputs,
    answer: answerIn(turn, value),
  })
  return DEFAULT_ACTION
}

async function run(context: RunContext, turn: Turn, scope: Scope): Promise<StepEnd> {
  const { node, planned, round } = turn
  if (node.forEach) {
    const end = await runEach(context, turn, scope)
    if (!planned.tool && end.kind === 'value')
      await notePure(context, turn, outputsIn(turn, end.value))
    return end
  }
  const args = argumentsFor(context, turn, scope)
  countIn(context, { turn, scope, args })
  if (planned.tool) {
    tellBegin(context, turn, args)
    return await callStep(context, { place: { node: node.id, round }, turn, args })
  }
  const value = operate(context, turn, args, scope)
  await notePure(context, turn, outputsFrom(planned.outputs, value))
  return { kind: 'value', value }
}

async function notePure(context: RunContext, turn: Turn, outputs: Args): Promise<void> {
  const shown = shownValues(outputs, turn.planned.type, context.deps.redact)
  await noteOnce(context, turn, { kind: 'pure', outputs: shown })
}

/**
 * An error before the step begins, such as a missing argument, takes the flow's `error` edge if there is one. A store that
 * is away is no error of the flow: the run is given back, and tried again.
 */
async function withActions(
  context: RunContext,
  { id }: FlowNode,
  work: () => Promise<StepEnd>,
): Promise<StepEnd> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CordonError) || isAway(error)) throw error
    if (!context.walk.leadsOn(id, 'error')) throw StepFailed.of(error, id)
    return { kind: 'action', action: 'error', message: error.message }
  }
}

interface GuardEnd {
  readonly holds: boolean
  /** Of all data that was compared. */
  readonly label?: Label
}

function guardOf(context: RunContext, node: FlowNode, place: string, scope: Scope): GuardEnd {
  if (!node.when) return { holds: true }
  try {
    const own = ownWords(context, `${place}.when`)
    const { answer, label } = guardHolds(node.when, scope, own)
    if (!isTrusted(label)) {
      context.progress.budget.choose(guardKeyIn(context, node, node.when, label), 1)
    }
    return { holds: answer, label }
  } catch (error) {
    throw error instanceof CordonError ? StepFailed.of(error, node.id) : error
  }
}

/** Recorded for `flow show` only: a resumed run computes the step again. */
async function noteOnce(
  context: RunContext,
  { node, round }: Turn,
  said: Pick<StepNote, 'kind' | 'outputs'>,
): Promise<void> {
  const place = { node: node.id, round }
  if (context.journal.past(place).tries.length > 0) return
  const at = new Date(context.deps.now()).toISOString()
  await context.run.note(nameOf(place), asJson({ ...place, at, args: [], ms: 0, ...said }))
}

function outputsIn({ node, planned }: Turn, value: Labelled): Args {
  return node.forEach ? outputsOfEach(planned.outputs, value) : outputsFrom(planned.outputs, value)
}

/** Undefined where the outputs are the whole answer as it came. */
function answerIn({ node, planned }: Turn, value: Labelled): Labelled | undefined {
  if (!planned.outputs.some(({ asText }) => asText)) return undefined
  return node.forEach ? value : Labelled.object({ result: value }, value.tree.label)
}

function tellBegin({ deps, run }: RunContext, { node, planned }: Turn, given: Args): void {
  const args = shownValues(given, planned.type, deps.redact)
  const text = nameOfStep(node, planned)
  deps.events.tell(run.id, { kind: 'begins', node: node.id, text, args, ...toolIn(planned) })
}

interface Outcome {
  readonly ms?: number
  readonly action?: string
}

function tell(
  { deps, run }: RunContext,
  { node, planned }: Turn,
  what: string,
  { ms, ...outcome }: Outcome = {},
): void {
  const took = ms === undefined ? '' : ` (${(ms / 1000).toFixed(1)} s)`
  const text = `${nameOfStep(node, planned)} … ${what}${took}`
  deps.events.tell(run.id, { kind: 'step', node: node.id, text, ...outcome, ...toolIn(planned) })
}

function toolIn({ tool }: Turn['planned']): Pick<FlowEvent, 'tool'> {
  return tool ? { tool } : {}
}

function nameOfStep({ id }: FlowNode, { type }: Turn['planned']): string {
  return id === type ? id : `${id} (${type})`
}

function summaryOf(end: StepEnd): string {
  if (end.kind === 'action') return `${end.action}: ${end.message}`
  const disarmed = end.disarmed === undefined ? '' : `, ${end.disarmed}`
  return `${countOf(end.value)}${disarmed}`
}

function countOf(value: Labelled): string {
  const items = value.at('items') ?? value.at('results')
  const count = items?.at(0) && items.size
  if (count === undefined) return 'done'
  return count === 1 ? '1 result' : `${count} results`
}
