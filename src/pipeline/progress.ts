/**
 * The progress of one request: the plans that ran for it, what became of each step, and the results. A planner is told the
 * rounds, which hold no content; the results are for the answer alone. Pure.
 */
import type { FlowProblem, FlowRun } from '../ports/flow-port.ts'
import type { Plan, PlanRound, RoundStep } from './plan-port.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import { isTrusted } from '../labels/label.ts'
import type { Labelled } from '../labels/labelled.ts'
import { nodeOf } from './plan-flow.ts'

/** Plans that are run for one request. */
export const MOST_ROUNDS = 3

export interface StepResult {
  readonly node: string
  readonly tool: ToolId | undefined
  readonly value: Labelled
  /** Absent if the result is not kept. */
  readonly handle: string | undefined
}

/** A run that is over. */
export interface Ran {
  readonly run: FlowRun
  readonly results: readonly StepResult[]
}

export interface Progress {
  readonly rounds: readonly PlanRound[]
  readonly results: readonly StepResult[]
  /** Others wrote a result, or made a step fail: the next plan is made after their words. */
  readonly isUntrusted: boolean
  /** Of the last run, if it failed. */
  readonly problem?: FlowProblem
  readonly failures: number
}

export const NO_PROGRESS: Progress = { rounds: [], results: [], isUntrusted: false, failures: 0 }

export function progressed(before: Progress, plan: Plan, { run, results }: Ran): Progress {
  const { problem } = run
  const hasFailed = run.state !== 'completed'
  return {
    rounds: [
      ...before.rounds,
      { steps: plan.steps.map((_step, at) => roundStep(plan, at, { run, results })) },
    ],
    results: [...before.results, ...results],
    isUntrusted:
      before.isUntrusted || hasFailed || results.some(({ value }) => !isTrusted(value.label)),
    ...(problem && { problem }),
    failures: before.failures + (hasFailed ? 1 : 0),
  }
}

function roundStep({ steps }: Plan, at: number, { run, results }: Ran): RoundStep {
  const step = steps[at]
  if (!step) throw new TypeError('A round has the steps of its plan')
  const result = results.find(({ node }) => node === nodeOf(at))
  if (run.state === 'completed') {
    return {
      ...step,
      outcome: 'worked',
      ...(result?.handle !== undefined && { result: result.handle }),
    }
  }
  const failedAt = steps.findIndex((_step, one) => nodeOf(one) === run.problem?.node)
  if (at === failedAt) return { ...step, outcome: 'failed', ...codeOf(run.problem) }
  return { ...step, outcome: at < failedAt ? 'worked' : 'not run' }
}

/** The codes are the host's own; one that is not spelled like a code is not passed on. */
function codeOf(problem: FlowProblem | undefined): Pick<RoundStep, 'code'> {
  const code = problem?.code ?? ''
  return /^[a-z]+\.[a-z-]{1,40}$/.test(code) ? { code } : {}
}

/** Failures that other steps could avoid. What the owner or the policy refused is not planned again. */
const AVOIDABLE: ReadonlySet<string> = new Set([
  'flows.failed',
  'flows.forbidden',
  'flows.missing-input',
  'flows.missing-value',
  'flows.resource-missing',
  'flows.server-error',
])

/** Whether the planner is to be asked again: it said so, or a step failed for the first time. */
export function needsMore(plan: Plan, { problem, failures }: Progress, { run }: Ran): boolean {
  if (run.state === 'completed') return plan.needsMore === true
  const isFirst = failures === 1 && problem?.node !== undefined && problem.rule === undefined
  return run.state === 'failed' && isFirst && AVOIDABLE.has(problem.code)
}
