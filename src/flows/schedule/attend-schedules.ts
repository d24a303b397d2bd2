/**
 * Looks every few seconds which schedules are due, and starts them. What was due while nobody looked, because no kernel
 * ran, the machine slept or the clock was set forward, is found by the gap between two looks: it is made up for by the
 * rule of the schedule, and the owner is told. A clock that is set back starts nothing twice.
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { FlowSchedule } from '../../ports/schedule-port.ts'
import { timeAfter } from './cron-times.ts'
import { type FireDeps, fireSchedule } from './fire-schedule.ts'
import type { ScheduleDeps } from './open-schedules.ts'
import { LATE_MS, type Look } from './take-due.ts'
import { tellLate } from './tell-late.ts'

export type AttendDeps = FireDeps &
  Pick<ScheduleDeps, 'rows' | 'presence' | 'notices' | 'log' | 'now'>

/** Polling interval: another kernel on a shared database may change the schedules. */
const LOOK_MS = 20_000
/** While a time waits for a run to end. */
const WAITING_MS = 2000
/** How much of an absence a power cut may add to what the owner is told. */
const KEEP_EVERY_MS = 300_000

type SignalledLook = Look & { readonly signal: AbortSignal }

/** Until `signal` aborts. A schedule that fails is reported and stops no other. */
export async function attendSchedules(
  deps: AttendDeps,
  signal: AbortSignal,
  onChange: () => AbortSignal,
): Promise<void> {
  const rounds = new Set<Promise<void>>()
  const kept = { at: 0 }
  let since = (await readPresence(deps)) ?? deps.now()
  while (!signal.aborted) {
    const change = onChange()
    const schedules = await readRows(deps)
    const until = deps.now()
    if (schedules) {
      const look: SignalledLook = {
        since: await unattendedSince(deps, since, until),
        until,
        signal,
      }
      // Not awaited: a slow start must not delay the other schedules.
      const round = startDue(deps, schedules, look).then((hasFired) => {
        const isTime = hasFired || Math.abs(until - kept.at) >= KEEP_EVERY_MS
        // Not while an earlier round is under way: what it starts would be lost by a crash.
        return isTime && rounds.size === 1 ? keepPresence(deps, kept, until) : undefined
      })
      rounds.add(round)
      void round.finally(() => rounds.delete(round))
      since = until // after a failed read it stays, so that no due time is lost
    }
    const waitMs = untilNext(deps, schedules ?? [], until)
    await pause(waitMs, undefined, { signal: change, ref: false }).catch(() => undefined)
  }
  await Promise.all(rounds)
  await keepPresence(deps, kept, since)
}

async function startDue(
  deps: AttendDeps,
  schedules: readonly FlowSchedule[],
  look: SignalledLook,
): Promise<boolean> {
  const fired = await Promise.all(schedules.map((schedule) => fireSchedule(deps, schedule, look)))
  tellLate(deps.notices, fired, look)
  return fired.some(({ end }) => end !== 'not due')
}

/** After a gap another kernel may have attended meanwhile. Times that a clock gives twice lead to the same runs. */
async function unattendedSince(deps: AttendDeps, since: number, until: number): Promise<number> {
  const isGap = until - since > LATE_MS
  const attended = isGap ? ((await readPresence(deps)) ?? since) : since
  return Math.min(until, Math.max(since, attended))
}

async function readPresence({ presence, log }: AttendDeps): Promise<number | undefined> {
  try {
    return await presence.read()
  } catch (error) {
    log.warn('Cannot read when schedules were last attended', { error })
    return undefined
  }
}

async function keepPresence(
  { presence, log }: AttendDeps,
  kept: { at: number },
  at: number,
): Promise<void> {
  try {
    await presence.keep(at)
    kept.at = at
  } catch (error) {
    log.warn('Cannot store that schedules were attended', { error })
  }
}

async function readRows({ rows, log }: AttendDeps): Promise<readonly FlowSchedule[] | undefined> {
  try {
    return (await rows.list()).filter(({ isDamaged }) => !isDamaged)
  } catch (error) {
    log.warn('Cannot read the schedules', { error })
    return undefined
  }
}

function untilNext(
  { deferred }: AttendDeps,
  schedules: readonly FlowSchedule[],
  now: number,
): number {
  const isWaiting = deferred.size > 0 || schedules.some(({ progress }) => hasWaiting(progress))
  const times = schedules.map((schedule) => timeAfter(schedule, now) ?? Number.POSITIVE_INFINITY)
  return Math.min(isWaiting ? WAITING_MS : LOOK_MS, Math.max(0, Math.min(...times) - now))
}

function hasWaiting(progress: FlowSchedule['progress']): boolean {
  return progress !== undefined && progress.missed.length + progress.waiting.length > 0
}
