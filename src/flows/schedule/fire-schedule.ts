/**
 * Starts the runs of one schedule that are due by its rules. What is to be started is on disk before the first start,
 * and every change of the progress is a compare and set: of several kernels one starts, and a kernel that dies loses no
 * time.
 */
import type { FlowSchedule, ScheduleProgress } from '../../ports/schedule-port.ts'
import { isOnce } from '../../text/say-times.ts'
import type { ScheduleDeps } from './open-schedules.ts'
import { runIdFor, type StartDeps, startScheduled } from './start-scheduled.ts'
import { type Look, type Taken, takeDue } from './take-due.ts'
import { tellLeftOut } from './tell-left-out.ts'

export interface FireDeps extends StartDeps, Pick<ScheduleDeps, 'owner'> {
  /** The names of schedules that are being started. */
  readonly firing: Set<string>
  /** By name, since when a schedule was not looked at, because it was being started or another kernel was faster. */
  readonly deferred: Map<string, number>
}

export interface Fired {
  readonly name: string
  readonly end: 'not due' | 'on time' | 'late' | 'skipped' | 'failed late'
}

type SignalledLook = Look & { readonly signal: AbortSignal }

export async function fireSchedule(
  deps: FireDeps,
  schedule: FlowSchedule,
  look: SignalledLook,
): Promise<Fired> {
  const { name } = schedule
  const { firing, deferred } = deps
  const since = Math.min(look.since, deferred.get(name) ?? look.since)
  deferred.set(name, since)
  // A start that takes long is not begun a second time.
  if (firing.has(name)) return { name, end: 'not due' }
  firing.add(name)
  try {
    return { name, end: await fire(deps, schedule, { ...look, since }) }
  } finally {
    firing.delete(name)
  }
}

async function fire(
  deps: FireDeps,
  schedule: FlowSchedule,
  look: SignalledLook,
): Promise<Fired['end']> {
  const taken = takeDue(schedule, look, await isBusy(deps, schedule))
  if (!taken) {
    deps.deferred.delete(schedule.name)
    return 'not due'
  }
  const { progress, ready, absence } = taken
  const put = { ...progress, waiting: [...ready, ...progress.waiting] }
  if (!(await advance(deps, schedule, put))) return 'not due'
  deps.deferred.delete(schedule.name)
  await tellLeftOut(deps, schedule, taken.leftOut)
  const isStarted = await startAll(deps, { ...schedule, progress: put }, taken, look.signal)
  const hasFailed = ready.length > 0 && !isStarted
  if (!hasFailed) await removeSpent(deps, schedule, progress)
  if (absence === 'none') return ready.length > 0 ? 'on time' : 'not due'
  return absence === 'not made up for' ? 'skipped' : hasFailed ? 'failed late' : 'late'
}

/** Whether the latest run of the schedule is under way. An error counts as no: the start will report it. */
async function isBusy({ flows, log }: FireDeps, schedule: FlowSchedule): Promise<boolean> {
  const { progress, overlap, name } = schedule
  if (progress?.run === undefined || overlap === 'together') return false
  try {
    return await flows.isOpen(progress.run)
  } catch (error) {
    log.warn('The last run of a schedule cannot be read', { flow: name, error })
    return false
  }
}

/** True if any was started. A time whose start fails is not tried again: its run says why. */
async function startAll(
  deps: FireDeps,
  schedule: FlowSchedule,
  { ready, progress }: Taken,
  signal: AbortSignal,
): Promise<boolean> {
  const started: string[] = []
  for (const due of ready) {
    const isStarted = await startScheduled(deps, schedule, due, signal)
    if (isStarted) started.push(runIdFor(schedule, due))
  }
  if (ready.length === 0 || signal.aborted) return started.length > 0
  const run = started.at(-1) ?? progress.run
  await advance(deps, schedule, { ...progress, ...(run !== undefined && { run }) })
  return started.length > 0
}

/** False if it was replaced, or another kernel was faster; and where the store cannot be written, to be tried again. */
async function advance(
  { rows, log }: FireDeps,
  schedule: FlowSchedule,
  progress: ScheduleProgress,
): Promise<boolean> {
  try {
    return await rows.advance(schedule, progress)
  } catch (error) {
    log.warn('The progress of a schedule cannot be stored', { flow: schedule.name, error })
    return false
  }
}

/** Removes a schedule whose only time has come. A kernel that dies before finds the run by its id, and starts no second. */
async function removeSpent(
  { rows, log }: FireDeps,
  { name, cron }: FlowSchedule,
  { missed, waiting }: ScheduleProgress,
): Promise<void> {
  if (!isOnce(cron) || missed.length + waiting.length > 0) return
  await rows.remove(name).catch((error: unknown) => {
    log.warn('A schedule that has run its only time cannot be removed', { flow: name, error })
  })
}
