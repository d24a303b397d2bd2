/** Dates and times of day as a clock in a time zone shows them. Pure. */

export interface LocalTime {
  /** `2026-11-17` */
  readonly date: string
  readonly hour: number
  readonly minute: number
  /** 0 is Sunday. */
  readonly weekday: number
}

export function localTime(at: number, timezone: string): LocalTime {
  const [date = '', time = ''] = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'short',
  })
    .format(at)
    .split(' ')
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return { date, hour, minute, weekday: weekdayOf(date) }
}

/** Of a date as `localTime` gives it; 0 is Sunday. */
export function weekdayOf(date: string): number {
  return new Date(`${date}T00:00:00Z`).getUTCDay()
}

export function addDays(date: string, days: number): string {
  const at = new Date(`${date}T00:00:00Z`)
  at.setUTCDate(at.getUTCDate() + days)
  return at.toISOString().slice(0, 10)
}

/** Whether there is such a day: not for `2026-02-30`. */
export function isDate(date: string): boolean {
  const at = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(date)
}

/** `Monday 17 November, 08:00`; the year is added if `now` is in another year. */
export function showMoment(at: number, timezone: string, now: number): string {
  const { date, hour, minute } = localTime(at, timezone)
  const isThisYear = localTime(now, timezone).date.slice(0, 4) === date.slice(0, 4)
  return `${showDate(date, isThisYear)}, ${showHour(hour, minute)}`
}

/** `Monday 17 November 2026` */
export function showDate(date: string, isThisYear = false): string {
  const at = new Date(`${date}T00:00:00Z`)
  const parts = { weekday: 'long', day: 'numeric', month: 'long', timeZone: 'UTC' } as const
  const format = new Intl.DateTimeFormat(
    'en-GB',
    isThisYear ? parts : { ...parts, year: 'numeric' },
  )
  return format.format(at).replaceAll(',', '')
}

/** `08:05` */
export function showHour(hour: number, minute: number): string {
  return `${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}`
}
