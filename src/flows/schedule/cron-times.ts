/** Computes when a schedule is due: five cron fields in a time zone. Pure. */
import { Cron } from 'croner'
import { CordonError } from '../../kernel/error.ts'

export interface CronTimes {
  readonly cron: string
  readonly timezone: string
}

/** The last time after `after` and up to `until`; undefined if there is none. */
export function lastTime(
  { cron, timezone }: CronTimes,
  after: number,
  until: number,
): number | undefined {
  const times = new Cron(cron, { timezone, mode: '5-part', paused: true })
  // The reference is excluded, so it lies beyond `until`; a time between the two is not due yet.
  return times
    .previousRuns(2, new Date(until + 1000))
    .map((time) => time.getTime())
    .find((time) => time <= until && time > after)
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
