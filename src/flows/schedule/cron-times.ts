/** Computes when a schedule is due: five cron fields in a time zone. Pure. */
import { Cron } from 'croner'
import { CordonError } from '../../kernel/error.ts'

export interface CronTimes {
  readonly cron: string
  readonly timezone: string
}

/** The last times after `after` and up to `until`, oldest first; at most `most`. None if the fields do not parse. */
export function timesBetween(
  { cron, timezone }: CronTimes,
  after: number,
  until: number,
  most: number,
): readonly number[] {
  try {
    const times = new Cron(cron, { timezone, mode: '5-part', paused: true })
    // The reference is excluded, so it lies beyond `until`; a time between the two is not due yet.
    const found = times.previousRuns(most + 1, new Date(until + 1000))
    const due = found.map((time) => time.getTime()).filter((time) => time <= until && time > after)
    return due.toReversed().slice(-most)
  } catch {
    return []
  }
}

/** The first time after `after`; undefined if there is none. Throws if the cron fields or the time zone are invalid. */
export function nextTime({ cron, timezone }: CronTimes, after: number): number | undefined {
  try {
    const times = new Cron(cron, { timezone, mode: '5-part', paused: true })
    return times.nextRun(new Date(after))?.getTime()
  } catch (error) {
    throw new CordonError(
      'flows.bad-schedule',
      { exit: 2, hint: "Write it like --cron '0 9 * * 1-5' --timezone Europe/Lisbon" },
      `Cannot understand the times ${JSON.stringify(cron)} in ${JSON.stringify(timezone)}`,
      error,
    )
  }
}
