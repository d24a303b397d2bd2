/**
 * One tool call as a step of a run. The call passes the one door, and the start of the step is on disk before the call
 * leaves. So a step with a start but no end on record may have happened: a read is repeated, and about any other call
 * the owner is asked. A call that may change something is never repeated unasked.
 */
import { showDisarmed } from '../../text/disarmed.ts'
import { callTool } from '../../kernel/call-tool.ts'
import { isRead } from '../../kernel/effect.ts'
import { CordonError } from '../../kernel/error.ts'
import type { FlowQuestion } from '../../ports/flow-port.ts'
import type { Labelled } from '../../labels/labelled.ts'
import { restoreLabelled } from '../../labels/stored-label.ts'
import type { TokenUsage } from '../../text/token-usage.ts'
import type { CallRequest, CallResult } from '../../kernel/tool-call.ts'
import type { ToolFacts } from '../../kernel/tool-facts.ts'
import { showTool } from '../../kernel/tool-id.ts'
import { labelledByArguments } from '../built-in/built-in-labels.ts'
import { kept } from '../operators/peek.ts'
import { itemFrom, outputsFrom } from './step-values.ts'
import { askWhatHappened, whatHappened } from './ambiguous.ts'
import { isAway } from '../runs/run-errors.ts'
import { RunLost, type StoredStep } from '../runs/flow-runtime.ts'
import type { InputQueue } from './input-queue.ts'
import {
  asJson,
  failureIn,
  nameOf,
  noteOf,
  type Past,
  resultOf,
  type StepNote,
  type StepPlace,
  type StepResult,
  usageIn,
} from './journal.ts'
import { type JudgedFailure, judgeFailure, refuseIfLacking, waitFor } from './judge-failure.ts'
import type { RunContext, Turn } from './run-context.ts'
import { controlIn } from './control-in.ts'
import { StepFailed } from './run-ends.ts'
import { lookInCache, putInCache } from './cached-call.ts'
import { shownValue, shownValues } from './shown-value.ts'
import { spendCall } from './spend-call.ts'
import { templateNow } from './template-now.ts'

export interface CallStep {
  readonly place: StepPlace
  readonly turn: Turn
  readonly args: Readonly<Record<string, Labelled>>
}

interface ValueEnd {
  readonly kind: 'value'
  readonly value: Labelled
  /** A sentence about links that were disarmed in the arguments. */
  readonly disarmed?: string | undefined
}

interface Spent {
  readonly usage?: TokenUsage
}

export type StepEnd =
  | ValueEnd
  | { readonly kind: 'action'; readonly action: string; readonly message: string }

export async function callStep(context: RunContext, step: CallStep): Promise<StepEnd> {
  const past = context.journal.past(step.place)
  context.progress.calls += past.tries.length
  context.progress.usage.push(...past.tries.flatMap(usageIn))
  const ended = past.tries.find(({ state }) => state === 'done')
  if (ended) return endOf(resultOf(ended))
  const begun = past.tries.find(({ state }) => state === 'begun')
  const known = begun ? await settleBegun(context, step, begun, past) : undefined
  return known ?? (await tryUntilDone(context, step, past))
}

/** For a step whose process died during the call. Undefined if the step is to be repeated. */
async function settleBegun(
  context: RunContext,
  step: CallStep,
  begun: StoredStep,
  past: Past,
): Promise<StepEnd | undefined> {
  const { kind, effect } = noteOf(begun)
  const isHarmless = kind !== 'call' || (effect !== undefined && isRead(effect))
  if (!isHarmless) {
    return endOfAnswer(await whatHappened(context, step, begun, past.questions))
  }
  const message = 'Its process ended while it was under way'
  await context.run.failed(begun, asJson({ action: 'error', message, isInterrupted: true }))
  return undefined
}

async function tryUntilDone(context: RunContext, step: CallStep, past: Past): Promise<StepEnd> {
  const failed = past.tries.filter(({ state }) => state === 'failed').map(failureIn)
  const last = failed.at(-1)
  if (last?.problem) throw new StepFailed(last.problem)
  let retries = failed.filter(({ isInterrupted }) => !isInterrupted).length
  let tries = past.tries.length
  if (last?.retryAt !== undefined) await waitFor(context, last.retryAt)
  for (;;) {
    await spendCall(context, step)
    const end = await context.run.calling(() => tryOnce(context, step, tries, retries))
    if (end) return end
    tries += 1
    retries += 1
  }
}

/** Undefined if the call is to be retried; the wait before the retry is then over. */
async function tryOnce(
  context: RunContext,
  step: CallStep,
  tries: number,
  retries: number,
): Promise<StepEnd | undefined> {
  const template = await templateNow(context.deps, context.plan, context.run)
  const request = requestFor({ ...context, template }, step, tries)
  await admitProject(context, request)
  const cached = await lookInCache(context, step, request)
  if (cached) return await keepCached(context, step, cached)
  const { begun, ...left } = await leave(context, step, request)
  const { result, facts } = left
  if (context.run.signal.aborted) throw new RunLost()
  const spent: Spent = result.kind !== 'refused' && result.usage ? { usage: result.usage } : {}
  if (spent.usage) context.progress.usage.push(spent.usage)
  const hasLeft = begun !== undefined
  const note: StepNote = { ...noteFor(context, step, facts), kind: hasLeft ? 'call' : 'refused' }
  const row = begun ?? (await context.run.begin(nameOf(step.place), asJson(note)))
  if (result.kind === 'ok') {
    const value = labelled(step, request, result.value)
    await putInCache(context, step, value)
    const disarmed = result.disarmed && showDisarmed(result.disarmed)
    return await keepValue(context, step, row, { value, disarmed, ...spent })
  }
  await refuseIfLacking(context, row, result)
  const judged = judgeFailure(context, step, { ...left, result, hasLeft, retries })
  return await conclude(context, step, row, { ...judged, ...spent })
}

/** A project's server is known only as long as the project is trusted as it is: looked at anew before each call. */
async function admitProject({ deps, plan }: RunContext, { tool }: CallRequest): Promise<void> {
  const { folder } = plan.options
  if (folder !== undefined && tool.server.includes('~')) await deps.projectServers?.(folder)
}

/** The result of a built-in tool is as trusted as its arguments. */
function labelled({ turn }: CallStep, { tool, args }: CallRequest, said: Labelled): Labelled {
  const schema = turn.node.params['schema']
  return labelledByArguments({ tool, args, ...(schema !== undefined && { schema }) }, said)
}

async function conclude(
  context: RunContext,
  step: CallStep,
  row: StoredStep,
  judged: JudgedFailure & Spent,
): Promise<StepEnd | undefined> {
  if (judged.kind === 'ambiguous') return await askWhatHappened(context, step, row, judged.message)
  if (judged.kind === 'action') {
    await context.run.done(row, asJson(judged))
    return judged
  }
  const { kind: _failed, ...failure } = judged
  await context.run.failed(row, asJson(failure))
  if (failure.problem) throw new StepFailed(failure.problem)
  await waitFor(context, failure.retryAt ?? 0)
  return undefined
}

interface Left {
  readonly result: CallResult
  /** Undefined if the call was refused before it left. */
  readonly begun: StoredStep | undefined
  readonly facts: ToolFacts | undefined
  readonly isThrown: boolean
}

async function leave(context: RunContext, step: CallStep, request: CallRequest): Promise<Left> {
  const { run, door } = context
  let begun: StoredStep | undefined
  let facts: ToolFacts | undefined
  let release: (() => void) | undefined
  const beforeCall = async (known: ToolFacts): Promise<void> => {
    facts = known
    release = await context.deps.enterServer(request.tool.server, run.signal)
    await run.assertOurs()
    const note = asJson(noteFor(context, step, known))
    begun = await run.begin(nameOf(step.place), note, isRead(known.effect))
    await run.assertOurs()
  }
  try {
    const call = () => callTool({ ...door, beforeCall }, request, run.signal)
    const result = await context.deps.input.during(callerOf(context, step, request), call)
    return { result, begun, facts, isThrown: false }
  } catch (error) {
    if (!(error instanceof CordonError) || (!begun && isAway(error))) throw error
    const { code, message: reason, hint } = error
    const result = { kind: 'failed', code, reason, hint } as const
    return { result, begun, facts, isThrown: true }
  } finally {
    release?.()
  }
}

/** The run that gets the server's questions (elicitation) during the call. */
function callerOf(
  { run, deps }: RunContext,
  { place: { node } }: CallStep,
  { tool, callId }: CallRequest,
): Parameters<InputQueue['during']>[0] {
  const tell = ({ text }: FlowQuestion): void =>
    deps.events.tell(run.id, { kind: 'waits', node, text })
  const waiting = <T>(work: () => Promise<T>, question: FlowQuestion): Promise<T> =>
    run.waiting(work, { kind: 'input', question })
  return { run: run.id, callId, node, server: tool.server, tell, waiting }
}

/**
 * Builds the same request for the same try, whichever process makes it. After the owner reopened a failed run it is
 * another step, so approvals that were given or denied before no longer apply.
 */
export function requestFor(context: RunContext, step: CallStep, tries: number): CallRequest {
  const { plan, run, template, progress, journal, words } = context
  const { tool, expects } = step.turn.planned
  if (!tool) throw new TypeError('A node that is no tool has no call')
  const name = nameOf(step.place)
  const { triesBefore } = journal.past(step.place)
  return {
    callId: `${run.id}/${name}/${triesBefore + tries + 1}`,
    principal: plan.options.principal,
    tool,
    args: step.args,
    task: {
      id: run.id,
      step: triesBefore > 0 ? `${name}+${triesBefore}` : name,
      node: step.place.node,
      plan: plan.integrity,
      planHash: plan.irHash,
      control: controlIn(step.turn, progress.budget),
      callsBefore: Math.max(0, progress.calls - 1),
      words,
      ...(expects !== undefined && { expects }),
      ...(template && { template }),
      ...(plan.options.asksForWrites && { asksForWrites: true }),
      ...(plan.options.asksForReads?.includes(step.place.node) && { asksForRead: true }),
    },
  }
}

function noteFor(context: RunContext, step: CallStep, facts?: ToolFacts): StepNote {
  const { planned } = step.turn
  const from = new Map(planned.args.map((one) => [one.name, one.from]))
  const { redact, now } = context.deps
  const args = Object.entries(step.args).map(([name, value]) =>
    shownValue(name, from.get(name) ?? 'the run', value, redact),
  )
  return {
    ...step.place,
    kind: 'call',
    at: new Date(now()).toISOString(),
    ...(planned.tool && { tool: showTool(planned.tool) }),
    ...(facts && { effect: facts.effect }),
    args,
  }
}

async function keepCached(context: RunContext, step: CallStep, value: Labelled): Promise<StepEnd> {
  const note: StepNote = { ...noteFor(context, step), kind: 'cached' }
  const row = await context.run.begin(nameOf(step.place), asJson(note), true)
  return await keepValue(context, step, row, { value })
}

async function keepValue(
  context: RunContext,
  { turn }: CallStep,
  row: StoredStep,
  { value, disarmed, usage }: Pick<ValueEnd, 'value' | 'disarmed'> & Spent,
): Promise<StepEnd> {
  const { node, planned } = turn
  // A single item of a `forEach` has no named outputs; the node has them, for all its items together.
  const outputs = (node.forEach ? itemFrom : outputsFrom)(planned.outputs, value)
  const shown = shownValues(outputs, planned.type, context.deps.redact)
  const said = disarmed === undefined ? {} : { disarmed }
  await context.run.done(
    row,
    asJson({ kind: 'value', value: kept(value), outputs: shown, ...said, ...(usage && { usage }) }),
  )
  return { kind: 'value', value, ...said }
}

function endOf(result: StepResult): StepEnd {
  return result.kind === 'value' ? { kind: 'value', value: restoreLabelled(result.value) } : result
}

/** The end that the owner's answer gives to the step. Undefined if the step is to be repeated. */
function endOfAnswer(result: StepResult | undefined): StepEnd | undefined {
  return result && endOf(result)
}
