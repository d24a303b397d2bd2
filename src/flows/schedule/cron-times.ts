/** Computes when a schedule is due: five cron fields in a time zone. Pure. */
import { Cron } from 'croner'
import { CordonError } from '../../kernel/error.ts'

export interface CronTimes {
  readonly cron: string
  readonly timezone: string
}

/**
 * The last times after `after` and up to `until`, oldest first; at most `most`. None if the fields do not parse. Mostly
 * there is none, which one step forward tells; each step takes a part of a millisecond, and nothing else runs meanwhile.
 */
export function timesBetween(
  { cron, timezone }: CronTimes,
  after: number,
  until: number,
  most: number,
): readonly number[] {
  try {
    const times = parseCron(cron, timezone)
    const next = times.nextRun(new Date(after))?.getTime()
    return next === undefined || next > until ? [] : lastTimes(times, after, until, most)
  } catch {
    return []
  }
}

/** Backwards from the end: of a long absence only the last times count. */
function lastTimes(times: Cron, after: number, until: number, most: number): readonly number[] {
  const found: number[] = []
  // The reference is excluded, so it lies beyond `until`; a time between the two is not due yet.
  let time = until + 1000
  while (found.length < most) {
    const [before] = times.previousRuns(1, new Date(time))
    if (!before || before.getTime() <= after) break
    time = before.getTime()
    if (time <= until) found.unshift(time)
  }
  return found
}

/** The first time after `after`; undefined if there is none. Throws if the cron fields or the time zone are invalid. */
export function nextTime({ cron, timezone }: CronTimes, after: number): number | undefined {
  try {
    return parseCron(cron, timezone).nextRun(new Date(after))?.getTime()
  } catch (error) {
    throw new CordonError(
      'flows.bad-schedule',
      { exit: 2, hint: "Write it like --cron '0 9 * * 1-5' --timezone Europe/Lisbon" },
      `Cannot understand the times ${JSON.stringify(cron)} in ${JSON.stringify(timezone)}`,
      error,
    )
  }
}

/** As `nextTime`. A stored schedule that no longer parses, for example after an update, is never due. */
export function timeAfter(times: CronTimes, after: number): number | undefined {
  try {
    return nextTime(times, after)
  } catch {
    return undefined
  }
}

/** Whether the cron fields and the time zone parse. */
export function isTime({ cron, timezone }: CronTimes): boolean {
  try {
    parseCron(cron, timezone).nextRun()
    return true
  } catch {
    return false
  }
}

function parseCron(cron: string, timezone: string): Cron {
  return new Cron(cron, { timezone, mode: '5-part', paused: true })
}
