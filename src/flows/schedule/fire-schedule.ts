/**
 * Starts the run of one schedule if it was due between two looks. The id of the run is derived from schedule and time, so
 * two kernels on one database, a restart, and a clock that was set back start it once.
 */
import { createHash } from 'node:crypto'
import type { FlowSchedule } from '../../ports/schedule-port.ts'
import { parsePrincipalId, type Principal } from '../../kernel/principal.ts'
import type { Template } from '../../kernel/tool-call.ts'
import { OWNER_SINK } from '../../labels/sink.ts'
import { localTime, showHour } from '../../text/local-time.ts'
import { isOnce } from '../../text/say-times.ts'
import { lastTime } from './cron-times.ts'
import type { ScheduleDeps } from './open-schedules.ts'

export interface FireDeps
  extends Pick<ScheduleDeps, 'flows' | 'log' | 'rows' | 'deliveries' | 'isNamed'> {
  readonly problems: Map<string, string>
  /** Throws if the template no longer allows the schedule. */
  checkLimits(schedule: FlowSchedule): Promise<Template>
}

/** From one look at the schedules to the next. */
export interface Look {
  readonly since: number
  readonly until: number
  readonly signal: AbortSignal
}

export interface Fired {
  readonly name: string
  readonly end: 'not due' | 'on time' | 'late' | 'skipped' | 'failed late'
}

/** A run that starts later than this after its time is told to the owner. */
export const LATE_MS = 60_000

/** Of several times that passed, the last one counts. */
export async function fireSchedule(
  deps: FireDeps,
  schedule: FlowSchedule,
  { since, until, signal }: Look,
): Promise<Fired> {
  const { name, createdAt, catchUp } = schedule
  const due = dueTime(schedule, Math.max(since, createdAt), until)
  if (due === undefined) return { name, end: 'not due' }
  const isLate = until - due > LATE_MS
  const isSkipped = isLate && !catchUp
  const isStarted = !isSkipped && (await start(deps, schedule, due, signal))
  if (isOnce(schedule.cron) && (isStarted || isSkipped)) await removeSpent(deps, name)
  if (isSkipped) return { name, end: 'skipped' }
  if (isLate) return { name, end: isStarted ? 'late' : 'failed late' }
  return { name, end: 'on time' }
}

/** A kernel that dies before this finds the run by its id, and starts no second one. */
async function removeSpent({ rows, log }: FireDeps, name: string): Promise<void> {
  await rows.remove(name).catch((error: unknown) => {
    log.warn('A schedule that has run its only time cannot be removed', { flow: name, error })
  })
}

async function start(
  deps: FireDeps,
  schedule: FlowSchedule,
  due: number,
  signal: AbortSignal,
): Promise<boolean> {
  const { name, inputs, sinks, template } = schedule
  const { flows, log, problems } = deps
  const id = runIdFor(schedule, due)
  try {
    const isForOwner = deps.isNamed(OWNER_SINK.name, await deps.checkLimits(schedule))
    // Before the start: a kernel that dies in between resumes the run, and its result has somewhere to go.
    await deps.deliveries.expect({ run: id, flow: name, sinks, isForOwner })
    const run = {
      id,
      source: { kind: 'saved', name } as const,
      principal: principalOf(name),
      inputs,
      approval: 'wait' as const,
      useCache: true,
      trust: [],
      template,
    }
    await flows.start(run, signal)
    problems.delete(name)
    return true
  } catch (error) {
    log.warn('A scheduled flow did not start', { flow: name, error })
    const problem = error instanceof Error ? error.message : 'it did not start'
    const isNews = problems.get(name) !== problem
    problems.set(name, problem)
    if (isNews && !signal.aborted) await tellFailure(deps, schedule, { id, due, problem })
    return false
  }
}

interface Failure {
  /** The id that the run would have had. */
  readonly id: string
  readonly due: number
  readonly problem: string
}

/** Once per problem: a schedule that fails every minute is not told every minute. */
async function tellFailure(
  { deliveries, log }: FireDeps,
  { name, sinks, timezone }: FlowSchedule,
  { id, due, problem }: Failure,
): Promise<void> {
  const { hour, minute } = localTime(due, timezone)
  const reason = `did not start at ${showHour(hour, minute)}: ${problem}`
  const notice = { kind: 'result', subject: name, items: [], reason } as const
  try {
    for (const sink of sinks)
      await deliveries.tell({ id, flow: name, sink, text: `${name} ${reason}.`, notice })
  } catch (error) {
    log.warn('The owner cannot be told that a flow did not start', { flow: name, error })
  }
}

/** A schedule that no longer parses, for example after an update, is never due. */
function dueTime(schedule: FlowSchedule, after: number, until: number): number | undefined {
  try {
    return lastTime(schedule, after, until)
  } catch {
    return undefined
  }
}

/** A principal that is no person; its name is for the audit log. */
function principalOf(name: string): Principal {
  const word = name.replace(/[^A-Za-z0-9._@+-]/g, '-').slice(0, 100)
  return { kind: 'cron', id: parsePrincipalId(`principal:cron:${word}`) }
}

/** A UUID of version 8 (RFC 9562) from a hash, so that every kernel computes the same id. */
function runIdFor({ name, cron, timezone, createdAt }: FlowSchedule, due: number): string {
  const text = JSON.stringify([name, cron, timezone, createdAt, due])
  const hex = createHash('sha256').update(text).digest('hex')
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `8${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-')
}
