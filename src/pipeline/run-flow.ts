/**
 * Runs a flow for a turn, and tells what happens as the events of that turn. Every call passes the one door inside the
 * engine; a question about a call, or of its server, is told, and answered by a later message or on another surface.
 */
import type { ShownApproval } from '../kernel/approval-port.ts'
import { MEMORY } from '../kernel/built-in-tools.ts'
import { CordonError } from '../kernel/error.ts'
import type { FlowEvent, FlowQuestion, FlowRun, FlowSource } from '../ports/flow-port.ts'
import { conversationOf, type Message } from '../kernel/receive.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import type { Labelled } from '../labels/labelled.ts'
import { answerResults } from './answer-results.ts'
import type { Ran, StepResult } from './progress.ts'
import { openQuestion, showQuestion } from './server-question.ts'
import type { RunQuestion } from './standing.ts'
import { ownText } from './synthesize.ts'
import type { TurnDeps } from './turn-deps.ts'
import type { TurnRecord } from './turn-record.ts'
import { type QuestionWatch, watchQuestions } from './watch-questions.ts'

export interface TurnRun {
  readonly source: FlowSource
  readonly labelled: Readonly<Record<string, Labelled>>
  readonly message: Message
  readonly record: TurnRecord
  /** Of the run; absent: that of the turn. */
  readonly id?: string
  /** Each change is asked about, whatever the owner granted. */
  readonly asksForWrites?: boolean
  /** The nodes that are asked about as well although they only read. */
  readonly asksForReads?: readonly string[]
  /** The run waits for an answer to this question; undefined: it does not wait any more. */
  readonly onQuestion: (question: RunQuestion | undefined, run: string) => void
}

export interface RunEnd {
  readonly answer: Labelled
  readonly hasWorked: boolean
}

export async function runFlow(deps: TurnDeps, turn: TurnRun, signal: AbortSignal): Promise<RunEnd> {
  const { run, results } = await runRound(deps, turn, signal)
  if (run.state !== 'completed') return { answer: ownText(endText(run)), hasWorked: false }
  return { answer: await answerResults(deps, turn, results, signal), hasWorked: true }
}

/** Runs the flow without an answer. The results are kept as handles. */
export async function runRound(deps: TurnDeps, turn: TurnRun, signal: AbortSignal): Promise<Ran> {
  const { source, labelled, message, asksForWrites, asksForReads = [] } = turn
  const id = idOf(turn)
  const approval = canAnswer(message) ? 'wait' : 'never'
  const start = { id, source, labelled, approval, inputs: {}, isAttended: true } as const
  const { principal } = message
  const asking = {
    ...(asksForWrites === true && { asksForWrites }),
    ...(asksForReads.length > 0 && { asksForReads }),
  }
  await deps.flows.start({ ...start, ...asking, principal, useCache: false, trust: [] }, signal)
  const { run, tools } = await follow(deps, turn, signal)
  if (run.usage) turn.record.spend(run.usage)
  if (run.state !== 'completed') return { run, results: [] }
  const results = Object.entries((await deps.flows.results(run.id)) ?? {})
  return { run, results: await keepResults(deps, message, { tools, results }) }
}

function idOf({ id, record }: TurnRun): string {
  return id ?? record.id
}

/** Piped input could answer its own questions, so it is asked none: the call is refused instead. */
function canAnswer({ isTyped, isAsked }: Message): boolean {
  return isTyped === true || isAsked === true
}

interface Followed {
  readonly run: FlowRun
  /** The tools that were called, by node. */
  readonly tools: ReadonlyMap<string, ToolId>
}

async function follow(deps: TurnDeps, turn: TurnRun, signal: AbortSignal): Promise<Followed> {
  const id = idOf(turn)
  const tools = new Map<string, ToolId>()
  using questions = watchQuestions(deps, (shown) => tellApproval(turn, shown), signal)
  let asked: string | undefined
  for (let after = 0; ; ) {
    const { run, events } = await deps.flows.follow(id, after, signal)
    if (signal.aborted) return { run: await deps.flows.cancel(id), tools }
    for (const event of events) {
      after = event.number
      const { node = '', tool } = event
      if (tool) tools.set(node, tool)
      tellEvent(turn, event, questions)
    }
    const { question } = run
    if (question && question.id !== asked) {
      asked = question.id
      const isPut = await putQuestion(deps, turn, question, tools.get(question.node))
      if (!isPut)
        return { run: { ...run, state: 'failed', problem: cannotAnswer(question) }, tools }
    }
    if (isUnderWay(run)) continue
    tellFailure(turn, run, tools)
    return { run, tools }
  }
}

function isUnderWay({ state }: FlowRun): boolean {
  return state === 'running' || state === 'asking'
}

/**
 * Tells the question, so that the next message answers it. Where nobody can answer, a server is told so and the run goes
 * on; a run that only its owner can continue is cancelled: false.
 */
async function putQuestion(
  deps: TurnDeps,
  turn: TurnRun,
  question: FlowQuestion,
  tool: ToolId | undefined,
): Promise<boolean> {
  const { message, record, onQuestion } = turn
  const id = idOf(turn)
  if (canAnswer(message)) {
    const server = tool ? (await deps.aboutServer(tool.server)).name : 'The server'
    const open = openQuestion(question, server)
    onQuestion({ kind: 'server', open, place: placeOf(message) }, id)
    record.tell({ kind: 'question', text: showQuestion(open), form: { run: id, question } })
    return true
  }
  if (question.kind !== 'input') {
    await deps.flows.cancel(id)
    return false
  }
  await deps.flows.answer(id, question.id, 'cancel').catch(ignoreGone)
  return true
}

/** The question may have ended with its call. */
function ignoreGone(error: unknown): void {
  if (!(error instanceof CordonError)) throw error
}

/** An answer to a server counts only where the question was put: any other message is meant for somebody else. */
export function placeOf({ channel, ref }: Message): string {
  return `${channel ?? ref?.channel ?? 'terminal'} ${ref?.chat ?? ''}`
}

function tellEvent(turn: TurnRun, event: FlowEvent, questions: QuestionWatch): void {
  const { kind, callId } = event
  if (kind === 'asks' && callId !== undefined) return questions.see(callId)
  // The question of a run that waits is told by its state, which may be read before this event is.
  if (kind === 'waits') return
  turn.onQuestion(undefined, idOf(turn))
  tellStep(turn, event)
}

function tellApproval(turn: TurnRun, approval: ShownApproval): void {
  turn.onQuestion({ kind: 'approval', shown: approval }, idOf(turn))
  turn.record.tell({ kind: 'approval', approval })
}

function tellStep({ record }: TurnRun, event: FlowEvent): void {
  const { kind, node: step = '', tool, args = [], action } = event
  if (!tool) return
  if (kind === 'begins') {
    const given = args.map(({ name, shown }) => ({ name, shown }))
    record.tell({ kind: 'using', step, tool, args: given })
  }
  if (kind === 'step') {
    const outcome = action === undefined ? 'completed' : outcomeOf(action)
    record.tell({ kind: 'used', step, tool, outcome })
  }
}

/** A step that ends the run tells no event of its own. */
function tellFailure(
  { record }: TurnRun,
  { problem }: FlowRun,
  tools: ReadonlyMap<string, ToolId>,
): void {
  const { node: step, rule, code = '' } = problem ?? {}
  const tool = step === undefined ? undefined : tools.get(step)
  if (step === undefined || !tool) return
  const outcome = rule?.startsWith('approval.') ? 'refused' : outcomeOf(code)
  record.tell({ kind: 'used', step, tool, outcome })
}

function outcomeOf(code: string): 'failed' | 'timed out' {
  return /time-?d?-?out/.test(code) ? 'timed out' : 'failed'
}

export const STOPPED = 'Stopped. Nothing more is done.'

export function endText({ state, problem }: Pick<FlowRun, 'state' | 'problem'>): string {
  if (state === 'cancelled') return STOPPED
  if (!problem) return 'That did not work.'
  const { rule, message } = problem
  if (rule === 'approval.denied') return 'All right, that was not done.'
  if (rule === 'approval.expired') return 'Nobody answered in time, so that was not done.'
  return `That did not work: ${message}.`
}

function cannotAnswer({ text }: FlowQuestion): NonNullable<FlowRun['problem']> {
  return {
    code: 'pipeline.server-asks',
    message: `nobody is here to answer (${text})`,
    hint: 'Ask again at a terminal, where you can answer',
  }
}

interface Outcome {
  readonly results: readonly (readonly [node: string, value: Labelled])[]
  readonly tools: ReadonlyMap<string, ToolId>
}

async function keepResults(
  { memory }: TurnDeps,
  message: Message,
  { tools, results }: Outcome,
): Promise<readonly StepResult[]> {
  const conversation = conversationOf(message)
  const kept: StepResult[] = []
  for (const [node, value] of results) {
    const tool = tools.get(node)
    const isKept = tool && tool.server !== MEMORY
    const handle = isKept ? await memory.addResult(tool, value, conversation) : undefined
    kept.push({ node, tool, value, handle })
  }
  return kept
}
