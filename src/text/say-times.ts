/** Says in words when something runs, from cron fields or the local time of a single run. Pure. */
import { showDate, showHour } from './local-time.ts'

const ONCE = /^(\d{4}-\d{2}-\d{2})T(\d{2}):(\d{2})(?::00)?$/
const DAYS = ['Sundays', 'Mondays', 'Tuesdays', 'Wednesdays', 'Thursdays', 'Fridays', 'Saturdays']

/** Whether it is a single local time. */
export function isOnce(cron: string): boolean {
  return ONCE.test(cron)
}

/** `every weekday at 08:00`. Fields that no sentence fits are quoted. */
export function sayTimes(cron: string): string {
  const [, date, hours, minutes] = ONCE.exec(cron) ?? []
  if (date !== undefined)
    return `once, on ${showDate(date)} at ${showHour(Number(hours), Number(minutes))}`
  const [minute = '', hour = '', ...days] = cron.trim().split(/\s+/)
  return (
    sayStep(minute, hour, days.join(' ')) ?? sayDaily(minute, hour, days) ?? `at ${cron} (cron)`
  )
}

function sayStep(minute: string, hour: string, days: string): string | undefined {
  if (days !== '* * *') return undefined
  const minutes = hour === '*' ? stepIn(minute) : undefined
  if (minutes !== undefined) return minutes === 1 ? 'every minute' : `every ${minutes} minutes`
  const hours = minute === '0' ? stepIn(hour) : undefined
  if (hours !== undefined) return hours === 1 ? 'every hour' : `every ${hours} hours`
  return undefined
}

function stepIn(field: string): number | undefined {
  if (field === '*') return 1
  const step = /^\*\/(\d+)$/.exec(field)?.[1]
  return step === undefined ? undefined : Number(step)
}

function sayDaily(minute: string, hour: string, days: readonly string[]): string | undefined {
  const named = sayDays(days)
  if (named === undefined || !/^\d{1,2}$/.test(minute) || !/^\d{1,2}(?:,\d{1,2})*$/.test(hour))
    return undefined
  const times = hour.split(',').map((one) => showHour(Number(one), Number(minute)))
  return `${named} at ${listed(times)}`
}

function sayDays([day, month, weekday]: readonly string[]): string | undefined {
  if (day === undefined || weekday === undefined || month !== '*') return undefined
  if (weekday === '*') return sayMonthDay(day)
  return day === '*' ? sayWeekdays(weekday) : undefined
}

function sayMonthDay(day: string): string | undefined {
  if (day === '*') return 'every day'
  if (day === 'L') return 'on the last day of each month'
  if (!/^\d{1,2}$/.test(day)) return undefined
  const missing = Number(day) > 28 ? ' that has one' : ''
  return `on the ${ordinal(Number(day))} of each month${missing}`
}

function sayWeekdays(field: string): string | undefined {
  if (field === '1-5') return 'every weekday'
  if (field === '0,6') return 'on weekends'
  const names = field.split(',').map((one) => (/^[0-6]$/.test(one) ? DAYS[Number(one)] : undefined))
  return names.every((name) => name !== undefined) ? `on ${listed(names)}` : undefined
}

function listed(words: readonly string[]): string {
  return new Intl.ListFormat('en-GB').format(words)
}

function ordinal(number: number): string {
  const rule = new Intl.PluralRules('en', { type: 'ordinal' }).select(number)
  return `${number}${{ one: 'st', two: 'nd', few: 'rd', other: 'th', zero: 'th', many: 'th' }[rule]}`
}
