/**
 * Starts one run of a schedule. The id of the run is derived from schedule and time, so two kernels on one database, a
 * restart, and a clock that was set back start it once. A run that cannot start leaves a failed run with the reason, an
 * audit record, and a notice.
 */
import { createHash } from 'node:crypto'
import { CordonError } from '../../kernel/error.ts'
import type { StartFlow } from '../../ports/flow-port.ts'
import type { FlowSchedule } from '../../ports/schedule-port.ts'
import { parsePrincipalId, type Principal } from '../../kernel/principal.ts'
import type { Template } from '../../kernel/tool-call.ts'
import { OWNER_SINK } from '../../labels/sink.ts'
import type { Problem } from '../../text/problem.ts'
import { localTime, showHour } from '../../text/local-time.ts'
import type { ScheduleDeps } from './open-schedules.ts'

export interface StartDeps
  extends Pick<ScheduleDeps, 'flows' | 'log' | 'rows' | 'deliveries' | 'isNamed' | 'audit'> {
  /** By name, why the last start of a schedule failed. */
  readonly problems: Map<string, string>
  /** Throws if the template no longer allows the schedule. */
  checkLimits(schedule: FlowSchedule): Promise<Template>
}

export async function startScheduled(
  deps: StartDeps,
  schedule: FlowSchedule,
  due: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, sinks } = schedule
  const id = runIdFor(schedule, due)
  const run = runOf(schedule, id)
  try {
    const isForOwner = deps.isNamed(OWNER_SINK.name, await deps.checkLimits(schedule))
    // Before the start: a kernel that dies in between resumes the run, and its result has somewhere to go.
    await deps.deliveries.expect({ run: id, flow: name, sinks, isForOwner })
    await deps.flows.start(run, signal)
    deps.problems.delete(name)
    return true
  } catch (error) {
    deps.log.warn('A scheduled flow did not start', { flow: name, error })
    if (!signal.aborted) await leaveFailure(deps, schedule, { run, due, problem: problemOf(error) })
    return false
  }
}

function runOf({ name, inputs, template }: FlowSchedule, id: string): StartFlow {
  return {
    id,
    source: { kind: 'saved', name },
    principal: principalOf(name),
    inputs,
    approval: 'wait',
    useCache: true,
    trust: [],
    template,
  }
}

interface Failure {
  readonly run: StartFlow
  readonly due: number
  readonly problem: Problem
}

async function leaveFailure(
  deps: StartDeps,
  schedule: FlowSchedule,
  { run, due, problem }: Failure,
): Promise<void> {
  const { name } = schedule
  try {
    // Another id than the run would have had: a kernel that can start the run still may.
    await deps.flows.leaveRefused({ ...run, id: runIdFor(schedule, due, 'refused') }, problem)
  } catch (error) {
    deps.log.warn('A run that did not start cannot be stored', { flow: name, error })
  }
  const isNews = deps.problems.get(name) !== problem.message
  deps.problems.set(name, problem.message)
  if (isNews) await tellFailure(deps, schedule, { run, due, problem })
}

/** Once per problem: a schedule that fails every minute is not told every minute. */
async function tellFailure(
  { deliveries, log }: StartDeps,
  { name, sinks, timezone }: FlowSchedule,
  { run: { id }, due, problem }: Failure,
): Promise<void> {
  const { hour, minute } = localTime(due, timezone)
  const reason = `did not start at ${showHour(hour, minute)}: ${problem.message}`
  const notice = { kind: 'result', subject: name, items: [], reason } as const
  try {
    for (const sink of sinks)
      await deliveries.tell({ id, flow: name, sink, text: `${name} ${reason}.`, notice })
  } catch (error) {
    log.warn('The owner cannot be told that a flow did not start', { flow: name, error })
  }
}

function problemOf(error: unknown): Problem {
  const hint = 'Run `cordon flow schedules` to see the schedule'
  if (error instanceof CordonError) {
    const { code, message } = error
    return { code, message, hint: error.hint || hint }
  }
  const message = error instanceof Error ? error.message : 'it did not start'
  return { code: 'flows.not-started', message, hint }
}

/** A principal that is no person; its name is for the audit log. */
function principalOf(name: string): Principal {
  const word = name.replace(/[^A-Za-z0-9._@+-]/g, '-').slice(0, 100)
  return { kind: 'cron', id: parsePrincipalId(`principal:cron:${word}`) }
}

/** A UUID of version 8 (RFC 9562) from a hash, so that every kernel computes the same id. */
export function runIdFor(
  { name, cron, timezone, createdAt }: FlowSchedule,
  due: number,
  ...more: readonly 'refused'[]
): string {
  const text = JSON.stringify([name, cron, timezone, createdAt, due, ...more])
  const hex = createHash('sha256').update(text).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
