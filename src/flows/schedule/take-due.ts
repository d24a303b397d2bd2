/**
 * Decides by the rules of a schedule what becomes of the times that came since it was last looked at: started now, put
 * off, or left out. Pure.
 */
import type { FlowSchedule, ScheduleProgress } from '../../ports/schedule-port.ts'
import { timesBetween } from './cron-times.ts'

/** A run that starts later than this after its time is told to the owner. */
export const LATE_MS = 60_000
/** Times that wait, or are still to be made up for; further ones push out the oldest. */
const MOST_WAITING = 100

const NO_PROGRESS: ScheduleProgress = { until: 0, missed: [], waiting: [] }

export interface Look {
  readonly since: number
  readonly until: number
}

export interface Taken {
  /** The progress once `ready` have been started. */
  readonly progress: ScheduleProgress
  /** Times to start now, oldest first. */
  readonly ready: readonly number[]
  /** Times that came while the run before was still under way. */
  readonly leftOut: readonly number[]
  /** Whether times passed while nobody looked, and whether any of them is made up for. */
  readonly absence: 'none' | 'made up for' | 'not made up for'
}

/** Undefined if nothing is due. `isBusy`: the latest run of the schedule is under way. */
export function takeDue(schedule: FlowSchedule, look: Look, isBusy: boolean): Taken | undefined {
  const { overlap, progress } = schedule
  const { until } = look
  const { chosen, fresh, absence } = choose(schedule, look)
  const before = progress ?? NO_PROGRESS
  const missed = [...before.missed, ...chosen].slice(-MOST_WAITING)
  const isLeftOut = overlap === 'skip' && (isBusy || missed.length > 0)
  const waiting = isLeftOut ? before.waiting : join(overlap, before.waiting, fresh)
  const all = [...missed, ...waiting]
  const isDue = absence !== 'none' || fresh.length + all.length > 0
  if (!isDue) return undefined
  const ready = readyOf(schedule, all, isBusy)
  return {
    progress: {
      ...before,
      until,
      missed: missed.slice(ready.length),
      waiting: waiting.slice(Math.max(0, ready.length - missed.length)),
    },
    ready,
    leftOut: isLeftOut ? fresh : [],
    absence,
  }
}

function readyOf(
  { overlap }: FlowSchedule,
  all: readonly number[],
  isBusy: boolean,
): readonly number[] {
  if (overlap === 'together') return all
  return isBusy ? [] : all.slice(0, 1)
}

function join(
  overlap: FlowSchedule['overlap'],
  before: readonly number[],
  fresh: readonly number[],
): readonly number[] {
  return [...before, ...fresh].slice(overlap === 'one' ? -1 : -MOST_WAITING)
}

interface Chosen {
  /** Times of an absence that are made up for. */
  readonly chosen: readonly number[]
  /** Times that came just now. */
  readonly fresh: readonly number[]
  readonly absence: Taken['absence']
}

function choose(schedule: FlowSchedule, look: Look): Chosen {
  const { until } = look
  const times = timesBetween(schedule, handledUntil(schedule, look), until, MOST_WAITING)
  const fresh = times.filter((time) => until - time <= LATE_MS)
  const missed = times.slice(0, times.length - fresh.length)
  if (missed.length === 0) return { chosen: [], fresh, absence: 'none' }
  // A time that came just now makes up for the missed ones as well, where one run is enough.
  const chosen = { none: [], once: fresh.length > 0 ? [] : missed.slice(-1), all: missed }
  const kept = chosen[schedule.catchUp]
  return { chosen: kept, fresh, absence: kept.length > 0 ? 'made up for' : absenceOf(fresh) }
}

function absenceOf(fresh: readonly number[]): Taken['absence'] {
  return fresh.length > 0 ? 'none' : 'not made up for'
}

/** A clock that was set back makes stored times lie in the future; they are ignored then, or the schedule would stand still. */
function handledUntil({ createdAt, progress }: FlowSchedule, { since, until }: Look): number {
  const past = [createdAt, progress?.until ?? 0].filter((time) => time <= until)
  return Math.max(since, ...past)
}
