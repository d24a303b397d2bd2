/**
 * The operations on runs: start, follow, list, show, cancel and answer. Following costs the same for every event: while
 * this process works on a run, the progress of the run comes from memory.
 */
import type { AuditKind } from '../../kernel/audit-kinds.ts'
import type { FlowEvent, FlowRun, Flows, FlowTrace, StartFlow } from '../../ports/flow-port.ts'
import type { FlowRunQuery } from '../../ports/flow-run-query.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import type { FlowRuntime, RunStart, StoredRun } from './flow-runtime.ts'
import { needsOf } from './run-needs.ts'
import type { RunPlan } from './run-plan.ts'
import { answerFrom, type InputQueue } from '../engine/input-queue.ts'
import type { EventRelay } from './event-relay.ts'
import type { LiveRuns } from './live-runs.ts'
import type { RunEvents } from './run-events.ts'
import { resultsOf, type RunFacts, stateOf, sumsOf, tellRun, tellTrace } from './tell-run.ts'
import { flowError } from '../flow-errors.ts'
import type { FlowDeps } from '../flow-deps.ts'
import { prepareRun } from './prepare-run.ts'
import { isAboutLosses } from './heed-losses.ts'

/** The polling interval for a run that another process works on. */
const LOOK_MS = 1000
const PAGE = 100
const MAX_CHOICE = 50

type Running = Pick<
  Flows,
  'start' | 'follow' | 'runs' | 'countOpen' | 'show' | 'results' | 'cancel' | 'forget' | 'answer'
>

interface Memory {
  readonly events: RunEvents
  readonly input: InputQueue
  readonly live: LiveRuns
  readonly relay: Pick<EventRelay, 'follow'>
}

export function createRuns(deps: FlowDeps, runtime: FlowRuntime, memory: Memory): Running {
  const { events, input } = memory
  const teller = createTeller(runtime, memory)
  const { find, tell, tellNow, trace } = teller
  return {
    async start(start, signal) {
      const before = await runtime.find(start.id)
      if (before) return await tell(before)
      const plan = await prepareRun(deps, start, signal)
      record(deps, 'flows.started', start.id, { plan: plan.irHash, by: start.principal.id })
      events.tell(start.id, { kind: 'started', text: plan.flow })
      const run = await runtime.start(runStart(start, plan, deps))
      const head = tellRun({ run, isAsking: false })
      const known = memory.live.get(start.id)
      if (known) known.head ??= head
      return head
    },
    async follow(id, after, signal) {
      for (;;) {
        const news = events.after(id, after)
        const isDue = news.length > 0 || signal.aborted
        const run = await tellNow(id, news, isDue)
        if (run) return { run, events: news }
        // An event may have arrived while the run was read.
        if (events.after(id, after).length === 0) await events.wait(id, LOOK_MS, signal)
      }
    },
    runs: (query) => listRuns(runtime, teller, query),
    countOpen: () => runtime.countOpen(),
    show: trace,
    results: async (id) => resultsOf(await find(id)),
    async cancel(id) {
      const before = await find(id)
      const { state } = before
      if (state === 'running') await cancelRun(deps, runtime, before)
      const run = await find(id)
      if (state === 'running' && run.state === 'cancelled') {
        events.tell(id, { kind: 'ended', text: 'cancelled' })
      }
      return await tell(run)
    },
    forget: (id) => runtime.forget(id),
    async answer(id, question, choice, value) {
      record(deps, 'flows.answered', id, { choice: choice.slice(0, MAX_CHOICE) })
      const isTaken = input.answer(id, question, choice, value)
      if (!isTaken) await answerRun(runtime, await find(id), question, { choice, value })
      if (isAboutLosses(question)) deps.notices?.resolve('stuck', id)
      return await tell(await find(id))
    },
  }
}

async function cancelRun(deps: FlowDeps, runtime: FlowRuntime, run: StoredRun): Promise<void> {
  const { id } = run
  record(deps, 'flows.cancelled', id)
  await runtime.cancel(id, sumsOf(run, await runtime.steps(id)))
  deps.notices?.resolve('stuck', id)
}

export function runStart(
  { id, principal, isAttended }: StartFlow,
  plan: RunPlan,
  { home = '' }: Pick<FlowDeps, 'home'>,
): RunStart {
  const isScheduled = principal.kind === 'cron'
  return {
    id,
    input: plan as unknown as Json,
    flow: plan.flow,
    needs: needsOf(plan, home),
    isScheduled,
    isAttended: isAttended === true,
  }
}

/** After these events the stored run counts, not the progress in memory. */
function isTurningPoint({ kind }: FlowEvent): boolean {
  return kind === 'waits' || kind === 'ended'
}

/** Writes an audit record about a run, by its id. Never contains values of the run. */
export function record(
  { audit, owner }: Pick<FlowDeps, 'audit' | 'owner'>,
  kind: AuditKind,
  run: string,
  details: JsonObject = {},
): void {
  audit?.append({ kind, principal: owner.id, subject: run, details })
}

interface Teller {
  readonly find: (id: string) => Promise<StoredRun>
  readonly tell: (run: StoredRun) => Promise<FlowRun>
  /** As `tell` says it, without a query. */
  readonly stateNow: (run: StoredRun) => FlowRun['state']
  /** The run for a follower; undefined if there is no news and the run goes on. */
  readonly tellNow: (
    id: string,
    news: readonly FlowEvent[],
    isDue: boolean,
  ) => Promise<FlowRun | undefined>
  readonly trace: (id: string) => Promise<FlowTrace>
}

function createTeller(runtime: FlowRuntime, { events, input, live, relay }: Memory): Teller {
  const find = async (id: string): Promise<StoredRun> => (await runtime.find(id)) ?? noSuchRun(id)
  const asking = (id: string): Pick<RunFacts, 'isAsking' | 'question'> => ({
    isAsking: events.isAsking(id),
    question: input.question(id),
  })
  const tell = async (run: StoredRun): Promise<FlowRun> => {
    const facts = { run, ...asking(run.id) }
    if (run.state !== 'running' && isCounted(run)) return tellRun(facts)
    const { stepsDone } = live.get(run.id)?.progress ?? {}
    return tellRun({ ...facts, stepsDone: stepsDone ?? (await runtime.stepsDone(run.id)) })
  }
  /** Undefined if this process does not work on the run. The stored run is read once, however often it is followed. */
  const tellLive = async (id: string): Promise<FlowRun | undefined> => {
    const known = live.get(id)
    if (!known) return undefined
    known.head ??= tellRun({ run: await find(id), isAsking: false })
    if (known.head.state !== 'running') return undefined
    const { isAsking, question } = asking(id)
    return {
      ...known.head,
      stepsDone: known.progress.stepsDone,
      ...((isAsking || question) && { state: 'asking' }),
      ...(question && { question }),
    }
  }
  return {
    find,
    tell,
    stateNow: (run) => stateOf({ run, ...asking(run.id) }),
    async tellNow(id, news, isDue) {
      if (!live.has(id)) relay.follow(id)
      const told = news.some(isTurningPoint) ? undefined : await tellLive(id)
      if (told) return isDue ? told : undefined
      const run = await find(id)
      return isDue || run.state !== 'running' ? await tell(run) : undefined
    },
    async trace(id) {
      const run = await find(id)
      const steps = await runtime.steps(id)
      return tellTrace({ run, steps, ...asking(id) })
    },
  }
}

/** Runs that were cancelled by an older Cordon have no sums on record. */
function isCounted({ state, sums }: StoredRun): boolean {
  return state !== 'cancelled' || sums !== undefined
}

async function listRuns(
  runtime: FlowRuntime,
  { tell, stateNow }: Teller,
  { limit, state, ...which }: FlowRunQuery,
): Promise<readonly FlowRun[]> {
  if (state !== 'running' && state !== 'asking') {
    return await Promise.all((await runtime.list({ limit, state, ...which })).map(tell))
  }
  // Whether an open run asks is known in part by this process alone.
  const found: StoredRun[] = []
  let before: string | undefined
  for (;;) {
    const open = await runtime.list({ limit: PAGE, state: 'running', ...which, before })
    found.push(...open.filter((run) => stateNow(run) === state))
    before = open.at(-1)?.cursor
    if (found.length >= limit || open.length < PAGE) break
  }
  return await Promise.all(found.slice(0, limit).map(tell))
}

interface Answer {
  readonly choice: string
  readonly value: Json | undefined
}

/** Answers the open question of a run; `retry` also reopens a run that failed. */
async function answerRun(
  runtime: FlowRuntime,
  run: StoredRun,
  question: string,
  { choice, value }: Answer,
): Promise<void> {
  const { id, state, asks } = run
  if (state === 'failed' && choice === 'retry') {
    await retry(runtime, id)
    return
  }
  const answer = { choice, ...(value !== undefined && { value }) }
  if (asks?.kind === 'input' && asks.question.id === question) {
    answerFrom(asks.question, choice, value) // refuses an answer that does not fit, before it is sent
    if (!(await runtime.reply(id, { question, ...answer }))) throw notAsked(id)
    return
  }
  await answerOnRecord(runtime, run, question, answer)
}

/** Refused although it had failed: somebody else reopened it first, or it is being deleted. */
async function retry(runtime: FlowRuntime, id: string): Promise<void> {
  if (await runtime.reopen(id)) return
  if ((await runtime.find(id))?.state === 'failed') throw beingDeleted(id)
}

async function answerOnRecord(
  runtime: FlowRuntime,
  { id, state, question: open }: StoredRun,
  question: string,
  answer: { readonly choice: string; readonly value?: Json },
): Promise<void> {
  const { choice } = answer
  if (state !== 'running' || open?.id !== question) throw notAsked(id)
  if (!open.choices.includes(choice)) throw badChoice(choice, open.choices)
  if (!(await runtime.answer(id, question, answer))) throw notAsked(id)
}

function noSuchRun(id: string): never {
  throw flowError(
    'flows.no-such-run',
    `Cannot find the run ${JSON.stringify(id.slice(0, 80))}`,
    'Run `cordon flow runs` to see those there are; runs are forgotten 30 days after they ended',
  )
}

function beingDeleted(id: string): Error {
  return flowError(
    'flows.no-such-run',
    `Cannot retry the run ${JSON.stringify(id)}: it is being deleted`,
    'Start the flow anew; runs are forgotten 30 days after they ended',
  )
}

function notAsked(id: string): Error {
  return flowError(
    'flows.not-asked',
    `Cannot answer: the run ${JSON.stringify(id)} does not ask that, or was answered before`,
    `Run \`cordon flow show ${id}\` to see what it asks`,
  )
}

function badChoice(choice: string, choices: readonly string[]): Error {
  return flowError(
    'flows.bad-choice',
    `Cannot answer with ${JSON.stringify(choice.slice(0, 50))}`,
    `Choose one of ${choices.join(', ')}`,
  )
}
