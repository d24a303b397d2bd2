/** Views of a stored run, for people: its state, its open question, and every step it took. */
import { isRead } from '../../kernel/effect.ts'
import type {
  FlowProblem,
  FlowQuestion,
  FlowRun,
  FlowStep,
  FlowTrace,
} from '../../ports/flow-port.ts'
import type { RunState } from '../../kernel/run-state.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { sumUsage } from '../../text/token-usage.ts'
import { deliver, OWNER_SINK } from '../../labels/sink.ts'
import type { Labelled } from '../../labels/labelled.ts'
import { restoreLabelled } from '../../labels/stored-label.ts'
import type { StoredRun, StoredStep } from './flow-runtime.ts'
import { shownHome } from './name-home.ts'
import {
  type FailedTry,
  failureIn,
  noteOf,
  resultOf,
  type StepResult,
  usageIn,
} from '../engine/journal.ts'
import { readPlan } from './run-plan.ts'
import { DAMAGED, unreadablePlan } from './unreadable-plan.ts'

export interface RunFacts {
  readonly run: StoredRun
  /** Absent if they were not read: only `flow show` needs them. */
  readonly steps?: readonly StoredStep[]
  /** How many are done, where they were counted instead. */
  readonly stepsDone?: number
  /** Whether this process waits for an approval of the owner. */
  readonly isAsking: boolean
  /** The open question of a server that is working on a call. */
  readonly question?: FlowQuestion | undefined
}

export function tellRun({ run, steps = [], isAsking, ...facts }: RunFacts): FlowRun {
  const { flow, principal, unreadable } = headOf(run)
  const question = questionOf(run, facts.question)
  const { problem = unreadable, stepsDone = facts.stepsDone } = endOf(run)
  return {
    id: run.id,
    flow,
    state: stateOf({ run, isAsking, question: facts.question }),
    principal,
    startedAt: run.startedAt.toISOString(),
    ...(run.endedAt && { endedAt: run.endedAt.toISOString() }),
    stepsDone: stepsDone ?? tellSteps(run, steps).filter(({ state }) => state === 'done').length,
    ...(problem && { problem }),
    ...(question && { question }),
    ...kernelsOf(run),
    ...usageOf(run, steps),
  }
}

interface Head {
  readonly flow: string
  readonly principal: string
  readonly unreadable?: FlowProblem
}

function headOf({ input }: StoredRun): Head {
  const unreadable = unreadablePlan(input)
  if (unreadable) return { flow: '(cannot be read)', principal: '(cannot be read)', unreadable }
  const { flow, options } = readPlan(input)
  return { flow, principal: options.principal.id }
}

/** On record, of a server that this kernel has called, or of one that another kernel has called. */
function questionOf(
  { state, asks, question }: StoredRun,
  asked: FlowQuestion | undefined,
): FlowQuestion | undefined {
  if (state !== 'running') return undefined
  return question ?? asked ?? (asks?.kind === 'input' ? asks.question : undefined)
}

/** Which kernel works on the run; while none does, what each lacks that has looked at it. */
function kernelsOf({ state, kernel, isHeld, lacks = {} }: StoredRun): Partial<FlowRun> {
  if (state !== 'running') return {}
  if (isHeld) return kernel === undefined ? {} : { kernel: shownHome(kernel) }
  const lines = Object.entries(lacks).map(([name, lack]) => `${shownHome(name)} cannot: ${lack}`)
  return lines.length > 0 ? { waitsFor: lines.join('; ') } : {}
}

/** A run that has ended has its sum on record; until then its steps have it. */
function usageOf(run: StoredRun, steps: readonly StoredStep[]): Pick<FlowRun, 'usage'> {
  const ended = usageIn({ result: recordOf(run) ?? {} })
  const usage = ended[0] ?? sumUsage(steps.flatMap(usageIn))
  return usage ? { usage } : {}
}

export function tellTrace(facts: RunFacts): FlowTrace {
  const { run, steps = [] } = facts
  const outputs = run.state === 'completed' ? shownOutputs(run.output ?? null) : undefined
  return {
    ...tellRun(facts),
    steps: tellSteps(run, steps),
    ir: unreadablePlan(run.input) ? { nodes: [] } : (readPlan(run.input).ir as unknown as Json),
    ...(outputs && { outputs }),
  }
}

export function stateOf({ run, isAsking, question }: RunFacts): RunState {
  const { state, asks } = run
  if (state !== 'running') return state
  const isAsked = isAsking || asks !== undefined || questionOf(run, question) !== undefined
  return isAsked ? 'asking' : state
}

/** Written when the run ended; undefined until then. */
function recordOf({ problem, output, sums }: StoredRun): Json | undefined {
  return problem ?? output ?? sums
}

/** Count and usage of the steps, kept when the run is cancelled, so that no list reads them. */
export function sumsOf(run: StoredRun, steps: readonly StoredStep[]): Json {
  const { stepsDone, usage } = tellRun({ run, steps, isAsking: false })
  return { stepsDone, ...(usage && { usage: usage as unknown as Json }) }
}

function endOf(run: StoredRun): {
  readonly problem?: FlowProblem
  readonly stepsDone?: number
} {
  const { problem } = run
  const said = (recordOf(run) ?? {}) as JsonObject
  const stepsDone = said['stepsDone']
  const { code, message, hint, node, rule } = said as unknown as FlowProblem
  return {
    ...(typeof stepsDone === 'number' && { stepsDone }),
    ...(problem !== undefined && typeof message !== 'string' && { problem: DAMAGED }),
    ...(problem !== undefined &&
      typeof message === 'string' && {
        problem: {
          code,
          message,
          hint,
          ...(node !== undefined && { node }),
          ...(rule !== undefined && { rule }),
        },
      }),
  }
}

function tellSteps(run: StoredRun, steps: readonly StoredStep[]): readonly FlowStep[] {
  const tries = Map.groupBy(
    steps.filter(({ kind, note }) => kind === 'step' && isWhole(note)),
    ({ name }) => name,
  )
  return [...tries.values()].flatMap((all) => {
    const last = all.at(-1)
    const usage = sumUsage(all.flatMap(usageIn))
    return last ? [{ ...tellStep(run, last, all.length - 1), ...(usage && { usage }) }] : []
  })
}

/** A step whose record is damaged is left out. */
function isWhole(note: Json): boolean {
  return Array.isArray((note as JsonObject | null)?.['args'])
}

function tellStep(run: StoredRun, step: StoredStep, retries: number): FlowStep {
  const { node, round, item, tool, args, kind, ...note } = noteOf(step)
  const ms = step.endedAt ? step.endedAt.getTime() - step.startedAt.getTime() : note.ms
  const end = endingOf(run, step)
  return {
    node,
    ...(round > 1 && { round }),
    ...(item !== undefined && { item }),
    ...(tool !== undefined && { tool }),
    startedAt: note.at,
    ...(ms !== undefined && { ms }),
    ...(kind === 'cached' && { wasCached: true }),
    ...(retries > 0 && { retries }),
    args,
    outputs: note.outputs ?? [],
    ...end,
  }
}

type Ending = Pick<FlowStep, 'state'> &
  Partial<Pick<FlowStep, 'action' | 'problem' | 'said' | 'outputs' | 'disarmed'>>

function endingOf(run: StoredRun, step: StoredStep): Ending {
  const { kind, effect } = noteOf(step)
  if (kind === 'skipped') return { state: 'skipped' }
  if (kind === 'pure') return { state: 'done' }
  if (step.state === 'failed') return { state: 'failed', ...wordsOf(failureIn(step)) }
  if (step.state === 'begun') {
    const isAbandoned = run.isParked || run.state !== 'running'
    const isHarmless = effect !== undefined && isRead(effect)
    if (!isAbandoned) return { state: 'running' }
    return { state: isHarmless ? 'failed' : 'ambiguous' }
  }
  return doneWith(resultOf(step))
}

function wordsOf({ message, said }: Pick<FailedTry, 'message' | 'said'>): Partial<Ending> {
  return { problem: message, ...(said !== undefined && { said }) }
}

function doneWith(result: StepResult): Ending {
  if (result.kind !== 'value') {
    return { state: 'done', action: result.action, ...wordsOf(result) }
  }
  const { outputs, disarmed } = result
  return { state: 'done', outputs, ...(disarmed !== undefined && { disarmed }) }
}

/** By name; the outputs of the last node together are `result`. */
export function resultsOf({
  state,
  output,
}: StoredRun): Readonly<Record<string, Labelled>> | undefined {
  if (state !== 'completed') return undefined
  const { whole, named } = (output ?? {}) as Outputs
  const all = named ?? (whole ? { result: whole } : {})
  return Object.fromEntries(Object.entries(all).map(([name, one]) => [name, restoreLabelled(one)]))
}

interface Outputs {
  readonly whole?: Json
  readonly named?: JsonObject
}

const WITHHELD = '(withheld)'

function shownOutputs(output: Json): Readonly<Record<string, Json>> {
  const { whole, named } = output as Outputs
  if (named) {
    return Object.fromEntries(Object.entries(named).map(([name, one]) => [name, shown(one)]))
  }
  const value = whole ? shown(whole) : {}
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, Json>>)
    : { result: value }
}

function shown(stored: Json): Json {
  const delivery = deliver(restoreLabelled(stored), OWNER_SINK)
  return delivery.kind === 'shown' ? delivery.value : WITHHELD
}
