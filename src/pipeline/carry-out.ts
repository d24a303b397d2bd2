/**
 * Carries out a plan: as a flow that is checked, shown and run. A plan that the checker refuses is not run at all. The
 * planner may be asked again, with the handles of the results: a few times, and after results of others only with the plan
 * shown and every change asked about.
 */
import { randomUUID } from 'node:crypto'
import { MODEL } from '../kernel/built-in-tools.ts'
import { isRead } from '../kernel/effect.ts'
import type { FlowForecast } from '../ports/flow-port.ts'
import type { Plan, Planned } from './plan-port.ts'
import { isTrusted } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import type { JsonObject } from '../text/json.ts'
import { answerResults } from './answer-results.ts'
import { expandPaths } from './expand-paths.ts'
import { handlesIn, planFlow, planSteps, showPlan } from './plan-flow.ts'
import { planRequest, valuesOf } from './plan-request.ts'
import { mergeRounds } from './merge-rounds.ts'
import { MOST_ROUNDS, needsMore, type Progress, progressed, type Ran } from './progress.ts'
import { endText, runRound, type TurnRun } from './run-flow.ts'
import { done, failed, type PlannedRun, type Said, type Standing } from './standing.ts'
import { ownText } from './synthesize.ts'
import type { TurnDeps } from './turn-deps.ts'
import type { TurnRecord } from './turn-record.ts'
import { untypedValues } from './untyped-values.ts'

export interface Turn {
  readonly record: TurnRecord
  readonly signal: AbortSignal
}

export async function carryOut(
  deps: TurnDeps,
  planned: PlannedRun,
  standing: Standing,
  turn: Turn,
): Promise<Said> {
  const { labelled, message } = planned
  const { record, signal } = turn
  if (planned.plan.steps.length === 0) return await conclude(deps, planned, turn, undefined)
  const { plan, source, steps, refusal } = await prepare(deps, planned, signal)
  if (refusal !== undefined) return await conclude(deps, planned, turn, refusal)
  const { progress, reads } = mistrusted(planned, plan, { steps, standing })
  tellPlan(record, plan, { steps, reads }, progress)
  const isFirst = progress.rounds.length === 0
  const run: TurnRun = {
    source,
    labelled,
    message,
    record,
    ...(!isFirst && { id: randomUUID() }),
    asksForWrites: progress.isUntrusted,
    asksForReads: reads,
    onQuestion: questionsOf(standing, record, planned),
  }
  noteModel(plan, standing)
  const ran = await runRound(deps, run, signal)
  noteResults(ran, standing)
  const after = { ...planned, progress: progressed(progress, plan, ran) }
  const hasWorked = ran.run.state === 'completed'
  if (hasWorked) await keepWorked(deps, { ...after, ir: source.ir }, standing, record)
  const isOver = planned.canGoOn !== true || !needsMore(plan, after.progress, ran)
  if (!isOver && !signal.aborted) return await planAgain(deps, after, standing, turn)
  return await conclude(deps, after, turn, hasWorked ? undefined : endText(ran.run))
}

/** Noted before the run: a model that it asks has read results of others also if the run fails or is stopped. */
function noteModel({ steps }: Plan, standing: Standing): void {
  if (steps.some(({ tool }) => tool.server === MODEL)) standing.isAfterOthers = true
}

function noteResults({ results }: Ran, standing: Standing): void {
  if (results.some(({ value }) => !isTrusted(value.label))) standing.isAfterOthers = true
}

/** Keeps the flow of all rounds that worked, for `save this as NAME`. */
async function keepWorked(
  { flows }: TurnDeps,
  { words, progress, ir }: PlannedRun & { readonly ir: JsonObject },
  standing: Standing,
  { id }: TurnRecord,
): Promise<void> {
  const whole = mergeRounds(progress.rounds)
  const isAlone = whole !== undefined && handlesIn(whole).length === 0
  standing.unsaved = isAlone ? undefined : whole ? USES_EARLIER : IN_PARTS
  standing.worked = undefined
  if (!isAlone) return
  const isOneRound = progress.rounds.length === 1
  const flow = isOneRound ? ir : planFlow(whole, words, await flows.nodes())
  standing.worked = { flow, turn: id }
}

const USES_EARLIER =
  'That cannot be saved: it used a pasted text, or the result of an earlier request, and neither is there when a flow runs later. Ask for all of it in one sentence, then say it again.'
const IN_PARTS =
  'That cannot be saved: it was planned in parts, and a later part stands on a step that did not work. Ask for it again, then save that.'

interface Judged {
  readonly steps: readonly FlowForecast[]
  readonly standing: Standing
}

/**
 * A conversation that others wrote into: a change with a value that nobody typed is asked about, and so is a read that
 * would carry one away. A plan with such a read is as doubtful in its changes.
 */
function mistrusted(
  { progress, typed }: PlannedRun,
  plan: Plan,
  { steps, standing }: Judged,
): { readonly progress: Progress; readonly reads: readonly string[] } {
  if (typed === undefined || standing.isAfterOthers !== true) return { progress, reads: [] }
  const { inChange, reads } = untypedValues(plan, steps, typed)
  const isUntyped = inChange || reads.length > 0
  return { progress: isUntyped ? { ...progress, isUntrusted: true } : progress, reads }
}

/** The plan as a flow; `refusal`: why it cannot be run. */
async function prepare(deps: TurnDeps, planned: PlannedRun, signal: AbortSignal) {
  const { words, labelled, message } = planned
  const plan = await expandPaths(deps, planned.plan)
  const ir = planFlow(plan, words, await deps.flows.nodes())
  const { folder } = message
  const source = { kind: 'ir', ir, ...(folder !== undefined && { folder }) } as const
  const { findings, steps } = await deps.flows.check(source, Object.keys(labelled), signal)
  const error = findings.find(({ severity }) => severity === 'error')
  const refusal = error && `I cannot do that: ${error.message}. ${error.hint}.`
  return { plan, source, steps, refusal }
}

const USED_UP = `I planned ${MOST_ROUNDS} times for this, which is all that one request gets, and it is not finished. Say what is to be done next.`

/** The planner sees the rounds and the handles, and no content. An empty plan: nothing is left to do. */
async function planAgain(
  deps: TurnDeps,
  before: PlannedRun,
  standing: Standing,
  turn: Turn,
): Promise<Said> {
  const { pastes, progress } = before
  const { problem } = progress
  const soFar = problem && endText({ state: 'failed', problem })
  if (progress.rounds.length >= MOST_ROUNDS) {
    return await conclude(deps, before, turn, soFar ?? USED_UP)
  }
  const { onUsage } = turn.record
  const request = { ...(await planRequest(deps, before, progress)), onUsage }
  const planned = await deps.planner.plan(request, turn.signal)
  if (planned.kind === 'question') return putDraft(standing, planned, { pastes, progress })
  if (planned.kind !== 'plan') {
    const reason = planned.kind === 'unable' ? planned.reason : 'it is a saved flow'
    return await conclude(deps, before, turn, soFar ?? `I could not plan the rest: ${reason}`)
  }
  const { plan, canGoOn } = planned
  if (plan.steps.length === 0) return await conclude(deps, before, turn, soFar)
  const labelled = await valuesOf(deps, handlesIn(plan), pastes)
  return await carryOut(deps, { ...before, plan, labelled, canGoOn }, standing, turn)
}

/** The answer out of all results; `why` it is not the whole of what was asked for. */
async function conclude(
  deps: TurnDeps,
  { message, progress }: PlannedRun,
  { record, signal }: Turn,
  why: string | undefined,
): Promise<Said> {
  const { results } = progress
  if (why !== undefined && (results.length === 0 || signal.aborted)) return failed(ownText(why))
  const answer = await answerResults(deps, { message, record }, results, signal)
  if (why === undefined) return done(answer)
  return failed(Labelled.text([answer, `\n${why}`], answer.label))
}

/** The question of the planner: the next message is its answer. */
export function putDraft(
  standing: Standing,
  { text, choices, draft }: Extract<Planned, { readonly kind: 'question' }>,
  kept: { readonly pastes: readonly string[]; readonly progress: Progress },
): Said {
  standing.draft = { json: draft, ...kept }
  const listed = choices.map((choice, at) => `\n  ${at + 1}. ${choice}`)
  return { answer: ownText(text + listed.join('')), isQuestion: true }
}

export function questionsOf(
  standing: Standing,
  record: TurnRecord,
  planned?: PlannedRun,
): TurnRun['onQuestion'] {
  return (question, run) => {
    if (question) standing.asking = { ...question, run, record, ...(planned && { planned }) }
    else if (standing.asking?.record === record) standing.asking = undefined
  }
}

/** A plan of one step is shown by its call alone, unless others wrote what it was made after. */
function tellPlan(
  record: TurnRecord,
  plan: Plan,
  { steps, reads }: { readonly steps: readonly FlowForecast[]; readonly reads: readonly string[] },
  { isUntrusted }: Progress,
): void {
  if (plan.steps.length < 2 && !isUntrusted) return
  const asking = steps.filter(
    ({ verdict, effect, node }) =>
      verdict === 'ask' || reads.includes(node) || (isUntrusted && !isRead(effect)),
  )
  const asks = new Map(asking.map((step) => [step.node, reasonOf(step)]))
  const shown = planSteps(plan, asks)
  const heading = isUntrusted ? 'After what came back, I will:' : 'I will:'
  record.tell({ kind: 'plan', text: `${heading}\n${showPlan(shown)}`, steps: shown })
}

/** A step that the policy would allow is asked about all the same if it changes something after words of others. */
function reasonOf({ verdict, reason = '' }: FlowForecast): string {
  return verdict === 'ask' ? reason : AFTER_OTHERS
}

const AFTER_OTHERS = 'The step was planned after results that others wrote'
