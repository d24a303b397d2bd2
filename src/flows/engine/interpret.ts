/**
 * Executes a run from wherever it stands: walks the flow from the start, reuses the results on record, and executes the
 * remaining steps. The policy decides about each of those steps anew, whoever started the run.
 */
import { CordonError } from '../../kernel/error.ts'
import type { FlowProblem } from '../../ports/flow-port.ts'
import type { JsonObject } from '../../text/json.ts'
import { sumUsage } from '../../text/token-usage.ts'
import { Labelled } from '../../labels/labelled.ts'
import type { Approvals } from '../../kernel/ports.ts'
import { nonInteractive } from '../../kernel/non-interactive.ts'
import { createGraph, type FlowGraph } from '../check/flow-graph.ts'
import type { FlowNode } from '../language/ir.ts'
import { kept } from '../operators/peek.ts'
import { resolve } from '../language/references.ts'
import { EMPTY_STORE, scopeOf, withInputs } from './store-view.ts'
import { askAhead } from './ask-ahead.ts'
import type { OwnedRun, RunOutcome } from '../runs/flow-runtime.ts'
import { BitBudget } from './bit-budget.ts'
import { Journal } from './journal.ts'
import type { LiveRun } from '../runs/live-runs.ts'
import { ownerWords } from './owner-words.ts'
import { type EngineDeps, ownWords, type Progress, type RunContext } from './run-context.ts'
import { RunParked, RunUnserved, StepFailed } from './run-ends.ts'
import { runNode } from './run-node.ts'
import { findLack, needsNow } from '../runs/run-needs.ts'
import { inputsOf, readPlan, type RunPlan } from '../runs/run-plan.ts'
import { unreadablePlan } from '../runs/unreadable-plan.ts'
import { endsRun, templateNow } from './template-now.ts'
import { isChoice, Walk } from './walk.ts'

export async function interpret(deps: EngineDeps, run: OwnedRun): Promise<RunOutcome> {
  const unreadable = unreadablePlan(run.input)
  if (unreadable) return { kind: 'failed', problem: { ...unreadable } }
  const plan = readPlan(run.input)
  const store = withInputs(EMPTY_STORE, inputsOf(plan))
  const budget = new BitBudget()
  const counts = { stepsDone: 0, calls: 0, budget, rounds: new Map(), usage: [] }
  const progress: Progress = { store, ...counts }
  const live: LiveRun = { progress }
  deps.live.set(run.id, live)
  try {
    return await outcomeOf(deps, run, plan, progress)
  } finally {
    if (deps.live.get(run.id) === live) deps.live.delete(run.id)
  }
}

async function outcomeOf(
  deps: EngineDeps,
  run: OwnedRun,
  plan: RunPlan,
  progress: Progress,
): Promise<RunOutcome> {
  if (plan.refused) return { kind: 'failed', problem: { ...plan.refused, ...countsOf(progress) } }
  try {
    if (run.isShared) await refuseUnserved(deps, run, plan)
    const graph = createGraph(plan.ir)
    const template = await templateNow(deps, plan, run)
    const context = contextFor(deps, run, plan, { graph, progress, template })
    await askAhead(context, graph)
    const last = await walk(context)
    return { kind: 'completed', output: { ...countsOf(progress), ...outputsOf(context, last) } }
  } catch (error) {
    if (error instanceof RunParked) return { kind: 'parked', ...delayUntil(error, deps.waitNow()) }
    if (error instanceof RunUnserved) {
      return { kind: 'unserved', need: error.need, lacks: error.lacks }
    }
    if (!(error instanceof StepFailed)) throw error
    return { kind: 'failed', problem: { ...error.problem, ...countsOf(progress) } }
  }
}

/** Another kernel may have what this one lacks, so the run is given back before it takes a step. */
async function refuseUnserved(deps: EngineDeps, run: OwnedRun, plan: RunPlan): Promise<void> {
  const lack = await findLack(deps, needsNow(deps, plan, run), run.signal)
  if (lack) throw new RunUnserved(lack.need, lack.text)
}

/** Kept with the outcome, so that a list of runs need not read their steps. */
function countsOf({ stepsDone, usage }: Progress): JsonObject {
  const sum = sumUsage(usage)
  return { stepsDone, ...(sum && { usage: { ...sum } }) }
}

function delayUntil({ until }: RunParked, now: number): { readonly delayMs?: number } {
  return until ? { delayMs: Math.max(0, until.getTime() - now) } : {}
}

function contextFor(
  deps: EngineDeps,
  run: OwnedRun,
  plan: RunPlan,
  { graph, ...more }: Pick<RunContext, 'progress' | 'template'> & { readonly graph: FlowGraph },
): RunContext {
  const approvals = approvalsFor(deps, run, plan)
  return {
    deps,
    run,
    plan,
    journal: new Journal(run),
    walk: new Walk(graph),
    door: { ...deps.door, approvals },
    words: ownerWords(plan),
    ...more,
  }
}

/** The last node whose outputs are in the store. */
async function walk(context: RunContext): Promise<string | undefined> {
  const nodes = new Map(context.plan.ir.nodes.map((node) => [node.id, node]))
  let last: string | undefined
  for (;;) {
    const id = context.walk.next()
    if (id === undefined) return last
    const { maxSteps } = context.deps.settings
    if (context.progress.stepsDone >= maxSteps) throw new StepFailed(tooManySteps(id, maxSteps))
    await context.deps.yieldOften()
    context.run.signal.throwIfAborted()
    const action = await runNode(context, nodes.get(id) as FlowNode)
    const { budget, stepsDone } = context.progress
    if (isChoice(action)) budget.choose(`${action} of step ${stepsDone}`, 1)
    if (context.walk.isUsedUp(id, action)) throw new StepFailed(goneTooOften(id))
    context.walk.ended(id, action)
    context.progress.stepsDone += 1
    if (context.progress.store.steps.has(id)) last = id
  }
}

/** The outputs that the flow declares; without any, all outputs of the last node. */
function outputsOf(context: RunContext, last: string | undefined): JsonObject {
  const { plan, progress } = context
  const scope = scopeOf(progress.store, new Set(Object.keys(plan.nodes)))
  const named = Object.entries(plan.ir.outputs)
  const given = last === undefined ? undefined : progress.store.steps.get(last)
  if (named.length === 0) return { whole: given ? kept(given) : null }
  const values = named.map(([name, { source = `\${${name}}` }]) => {
    const value = valueAt(() => resolve(source, scope, ownWords(context, `outputs.${name}`)))
    return [name, kept(value ?? new Labelled(null, ownWords(context, '')))] as const
  })
  return { named: Object.fromEntries(values) }
}

/** Undefined if the node that gives the value is not on the path that was taken. */
function valueAt(look: () => Labelled): Labelled | undefined {
  try {
    return look()
  } catch (error) {
    if (error instanceof CordonError && error.code === 'flows.missing-value') return undefined
    return endsRun(error)
  }
}

/** While the owner is asked, the state of the run is `asking`, and it does not count against the concurrency limit. */
function approvalsFor(deps: EngineDeps, run: OwnedRun, plan: RunPlan): Approvals {
  const { approvals } = deps.door
  if (plan.options.approval === 'never') return nonInteractive(approvals)
  if (plan.options.approval === 'given') return deps.consented
  const { events } = deps
  const waiting = <T>(callIds: readonly string[], work: () => Promise<T>): Promise<T> => {
    for (const callId of callIds) {
      events.tell(run.id, { kind: 'asks', text: 'waits for your approval', callId })
    }
    return run.waiting(() => events.asking(run.id, work), { kind: 'approval' })
  }
  return {
    ask: (asked, signal) => waiting([asked.request.callId], () => approvals.ask(asked, signal)),
    askTogether: (asked, signal) =>
      waiting(
        asked.slice(0, 1).map(({ request }) => request.callId),
        () => approvals.askTogether(asked, signal),
      ),
    useGrant: (id) => approvals.useGrant(id),
    async askPlan(asked, signal) {
      const ask = async () => (await approvals.askPlan?.(asked, signal)) ?? false
      return asked.isUnderWay ? await ask() : await waiting([asked.callId], ask)
    },
    usePlan: async (use) => (await approvals.usePlan?.(use)) ?? false,
  }
}

/** Fails the run instead of completing it: a flow whose loop is used up has not done its work. */
function goneTooOften(node: string): FlowProblem {
  return {
    code: 'flows.loop-ended',
    message: `Cannot go on after ${JSON.stringify(node)}: its loop was gone round as often as "max" allows`,
    hint: 'Look at what went wrong each time with `cordon flow show RUN`, or add an edge for what to do then',
    node,
  }
}

function tooManySteps(node: string, most: number): FlowProblem {
  return {
    code: 'flows.too-many-steps',
    message: `Cannot go on with ${JSON.stringify(node)}: a run has ${most} steps at most, and this one has taken them`,
    hint: 'Lower the "max" of its loops, split the flow, or raise max_steps in [flows] of config.toml',
    node,
  }
}
