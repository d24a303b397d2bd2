/**
 * Reads when something should run: `every weekday at 8`, `on mondays and fridays at 9`, `every 2 hours`, `tomorrow at 8`.
 * The result is five cron fields, or one local time for a single run. Words that are not understood as a whole are
 * refused: a schedule that guesses would run at the wrong time for months. Pure; knows English only.
 */
import { addDays, isDate, localTime, showHour } from './local-time.ts'

export interface WallClock {
  readonly now: number
  readonly timezone: string
}

export type ReadTimes =
  /** `cron`: five fields, or `2026-11-17T08:00:00` in the time zone for a single run. */
  | { readonly kind: 'times'; readonly cron: string }
  /** A sentence for the person. */
  | { readonly kind: 'unclear'; readonly reason: string }

interface TimeOfDay {
  readonly hour: number
  readonly minute: number
}

const NO_SUCH_HOUR = 'There is no such time of day.'
export const TIMES_EXAMPLES =
  'every weekday at 8, every day at 7:30, on mondays and fridays at 9, every 2 hours, on the first of the month at 9, tomorrow at 8'

export function readTimes(words: string, clock: WallClock): ReadTimes {
  const said = words
    .toLowerCase()
    .replace(/[,.!?]+(?=\s|$)/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
  const step = readStep(said) ?? readDelay(said, clock)
  if (step) return step
  const { days, times } = splitTimes(said)
  if (times === 'wrong') return unclear(NO_SUCH_HOUR)
  const read = readDays(days, clock)
  if (!read) return unclear(`I did not understand the time ${JSON.stringify(words.trim())}.`)
  if (times.length === 0) return unclear('At what time of day?')
  return read.kind === 'once' ? onceAt(read.date, times, clock) : repeated(read.fields, times)
}

function unclear(reason: string): ReadTimes {
  return { kind: 'unclear', reason: `${reason} Say it like: ${TIMES_EXAMPLES}` }
}

const STEP = /^(?:every|each) (?:(\d{1,4}) )?(minute|min|hour|h)s?$/

/** `every 15 minutes`, `every 2 hours`, `hourly`. Only steps after which an hour, or a day, begins again. */
function readStep(said: string): ReadTimes | undefined {
  if (said === 'hourly') return { kind: 'times', cron: '0 * * * *' }
  const [, count = '1', unit = ''] = STEP.exec(said) ?? []
  if (unit === '') return undefined
  return unit.startsWith('m') ? stepOf(Number(count), MINUTES) : stepOf(Number(count), HOURS)
}

interface StepUnit {
  readonly name: string
  /** How many make a whole, with which the count begins again. */
  readonly whole: number
  /** The cron of a step; `*` is every one. */
  readonly cron: (step: string) => string
  readonly wholeCron: string
}

const MINUTES: StepUnit = {
  name: 'minutes',
  whole: 60,
  cron: (step) => `${step} * * * *`,
  wholeCron: '0 * * * *',
}
const HOURS: StepUnit = {
  name: 'hours',
  whole: 24,
  cron: (step) => `0 ${step} * * *`,
  wholeCron: '0 0 * * *',
}

function stepOf(size: number, { name, whole, cron, wholeCron }: StepUnit): ReadTimes {
  if (size < 1 || whole % size !== 0) {
    const fitting = Array.from({ length: whole }, (_, at) => at + 1).filter(
      (one) => whole % one === 0,
    )
    return unclear(`I can repeat it after so many ${name}: ${fitting.slice(0, -1).join(', ')}.`)
  }
  if (size === whole) return { kind: 'times', cron: wholeCron }
  return { kind: 'times', cron: cron(size === 1 ? '*' : `*/${size}`) }
}

const DELAY = /^in (?:(\d{1,4})|an?) (minute|min|hour|day)s?$/
const DELAY_MS = { minute: 60_000, min: 60_000, hour: 3_600_000, day: 86_400_000 } as const

/** `in 2 hours`: once. Full minutes, rounded up. */
function readDelay(said: string, { now, timezone }: WallClock): ReadTimes | undefined {
  const [whole, count = '1', unit = ''] = DELAY.exec(said) ?? []
  if (whole === undefined) return undefined
  const ms = Number(count) * DELAY_MS[unit as keyof typeof DELAY_MS]
  const { date, hour, minute } = localTime(now + ms + 59_999, timezone)
  return { kind: 'times', cron: `${date}T${showHour(hour, minute)}:00` }
}

const HOUR = String.raw`(?:\d{1,2}(?:[:.]\d{2})?(?: ?(?:am|pm|a\.m|p\.m|o'clock))?|noon|midday|midnight)`
const AT = new RegExp(
  String.raw`(?:^| )(?:at|@) (${HOUR}(?: (?:and|at|and at) ${HOUR})*)(?: (?:in the (morning|afternoon|evening)|at (night)))?(?= |$)`,
)
const PART = /\b(?:every|each|this|tomorrow) (morning|afternoon|evening|night)\b|\b(?:to)(night)\b/

/** The times of day, and the words that are left: those about the days. */
function splitTimes(said: string): {
  readonly days: string
  readonly times: readonly TimeOfDay[] | 'wrong'
} {
  const found = AT.exec(said)
  if (!found) return { days: said, times: [] }
  const days = said.replace(AT, ' ').replace(/\s+/g, ' ').trim()
  const [, part, tonight] = PART.exec(days) ?? []
  const when = found[2] ?? found[3] ?? part ?? tonight
  const times = (found[1] ?? '').split(/ (?:and at|and|at) /).map((text) => timeOf(text, when))
  return { days, times: times.every((time) => time !== undefined) ? times : 'wrong' }
}

const NAMED_HOURS: Readonly<Record<string, number>> = { noon: 12, midday: 12, midnight: 0 }

function timeOf(text: string, part: string | undefined): TimeOfDay | undefined {
  const named = NAMED_HOURS[text]
  if (named !== undefined) return { hour: named, minute: 0 }
  const [, hours, minutes = '0', half] = /^(\d{1,2})(?:[:.](\d{2}))? ?([ap])?/.exec(text) ?? []
  const [said, minute] = [Number(hours), Number(minutes)]
  const isThere = half === undefined ? said <= 23 : said >= 1 && said <= 12
  return isThere && minute <= 59 ? { hour: hourOf(said, half, part), minute } : undefined
}

/** `8 in the evening` and `8 pm` are 20; `2 at night` stays 2. */
function hourOf(said: number, half: string | undefined, part: string | undefined): number {
  if (half !== undefined) return (said % 12) + (half === 'p' ? 12 : 0)
  if (part === 'afternoon' || part === 'evening') return said < 12 ? said + 12 : said
  if (part !== 'night' || said > 12) return said
  return said >= 6 ? (said + 12) % 24 : said
}

type Days =
  /** Day of the month, month, weekday. */
  | { readonly kind: 'fields'; readonly fields: string }
  /** Without a date: the next time that the clock shows it. */
  | { readonly kind: 'once'; readonly date: string | undefined }

const WEEKDAYS = ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat']
const EVERY_DAY = /^(?:(?:every|each) ?(?:single )?(?:day|morning|afternoon|evening|night)|daily)$/
const WORKING =
  /^(?:(?:on|every|each) )?(?:weekdays?|workdays?|working days?|(?:from )?mondays? (?:to|through|till) fridays?)$/
const WEEKEND = /^(?:(?:on|every|each|at) )?(?:the )?weekends?$/

function readDays(said: string, clock: WallClock): Days | undefined {
  if (EVERY_DAY.test(said)) return fields('* * *')
  if (WORKING.test(said)) return fields('* * 1-5')
  if (WEEKEND.test(said)) return fields('* * 0,6')
  const monthly = monthDay(said)
  if (monthly !== undefined) return fields(`${monthly} * *`)
  return readWeekdays(said, clock) ?? readDate(said, clock)
}

function fields(text: string): Days {
  return { kind: 'fields', fields: text }
}

const NAMED_DAYS = /^(?:(on|every|each|next) )?([a-z ,&]+)$/

/** `every monday`, `mondays and fridays`: again and again. `on friday`: once. */
function readWeekdays(said: string, clock: WallClock): Days | undefined {
  const [, how = '', list = ''] = NAMED_DAYS.exec(said) ?? []
  const names = list.split(/[ ,&]+/).filter((name) => !['', 'on', 'and', 'the'].includes(name))
  const numbers = names.map(weekdayIn)
  if (!numbers.every((one) => one !== undefined)) return undefined
  const isRepeated = /^(?:every|each)$/.test(how) || names.every((name) => name.endsWith('s'))
  const [first, ...more] = [...new Set(numbers)].toSorted((a, b) => a - b)
  if (first === undefined) return undefined
  if (isRepeated) return fields(`* * ${[first, ...more].join(',')}`)
  // "on monday and friday": once, or every week? It is not guessed.
  return more.length > 0 ? undefined : { kind: 'once', date: nextDay(first, clock) }
}

/** The date of the next such weekday after today. */
function nextDay(wanted: number, { now, timezone }: WallClock): string {
  const { date, weekday } = localTime(now, timezone)
  return addDays(date, (wanted - weekday + 7) % 7 || 7)
}

const FULL_NAMES = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday']

function weekdayIn(word: string): number | undefined {
  const at = WEEKDAYS.indexOf(word.slice(0, 3))
  const full = FULL_NAMES[at]
  if (full === undefined) return undefined
  const one = word.replace(/s$/, '')
  return [WEEKDAYS[at], 'tues', 'wednes', 'thurs', 'thur', full].includes(one) ? at : undefined
}

const PLACES = [
  'first',
  'second',
  'third',
  'fourth',
  'fifth',
  'sixth',
  'seventh',
  'eighth',
  'ninth',
]
const ORDINAL = String.raw`(?:the )?(\d{1,2})(?:st|nd|rd|th)|(?:the )?(${PLACES.join('|')}|tenth|last)`
const OF_MONTH = new RegExp(
  String.raw`^(?:on )?(?:${ORDINAL})(?: day)? of (?:the|every|each) month$`,
)
const MONTHLY = new RegExp(
  String.raw`^(?:(?:every|each) month|monthly) on (?:${ORDINAL})(?: day)?$`,
)

/** `L` is the last day. */
function monthDay(said: string): string | undefined {
  const found = OF_MONTH.exec(said) ?? MONTHLY.exec(said)
  if (!found) return undefined
  const [, number, place = ''] = found
  if (place === 'last') return 'L'
  const day = number === undefined ? [...PLACES, 'tenth'].indexOf(place) + 1 : Number(number)
  return day >= 1 && day <= 31 ? String(day) : undefined
}

const MONTHS = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** `tomorrow`, `today`, `on 2026-12-24`, `on 24 december`, or no day at all. */
function readDate(said: string, { now, timezone }: WallClock): Days | undefined {
  const { date: today } = localTime(now, timezone)
  if (said === '' || said === 'once') return { kind: 'once', date: undefined }
  if (/^(?:today|tonight|this (?:morning|afternoon|evening))$/.test(said))
    return { kind: 'once', date: today }
  if (/^tomorrow(?: (?:morning|afternoon|evening|night))?$/.test(said))
    return { kind: 'once', date: addDays(today, 1) }
  const written = /^(?:on )?(\d{4}-\d{2}-\d{2})$/.exec(said)?.[1]
  if (written !== undefined) return isDate(written) ? { kind: 'once', date: written } : undefined
  return readCalendarDay(said, today)
}

function readCalendarDay(said: string, today: string): Days | undefined {
  const [, before, word, after] =
    /^(?:on )?(?:the )?(\d{1,2})?(?:st|nd|rd|th)? ?(?:of )?([a-z]{3,9}) ?(\d{1,2})?(?:st|nd|rd|th)?$/.exec(
      said,
    ) ?? []
  const month = MONTHS.indexOf((word ?? '').slice(0, 3)) + 1
  const day = before ?? after
  if (month === 0 || day === undefined || (before !== undefined && after !== undefined))
    return undefined
  const rest = `-${String(month).padStart(2, '0')}-${day.padStart(2, '0')}`
  const year = Number(today.slice(0, 4))
  const date = [year, year + 1].map((one) => `${one}${rest}`).find((one) => one >= today)
  return date !== undefined && isDate(date) ? { kind: 'once', date } : undefined
}

function onceAt(
  date: string | undefined,
  times: readonly TimeOfDay[],
  { now, timezone }: WallClock,
): ReadTimes {
  const [time, ...more] = times
  if (!time || more.length > 0) return unclear('A single run has one time of day.')
  const current = localTime(now, timezone)
  const hour = showHour(time.hour, time.minute)
  const isLater = hour > showHour(current.hour, current.minute)
  const day = date ?? (isLater ? current.date : addDays(current.date, 1))
  if (day < current.date || (day === current.date && !isLater))
    return unclear('That time has passed.')
  return { kind: 'times', cron: `${day}T${hour}:00` }
}

/** One line of cron has one minute for all its hours. */
function repeated(days: string, times: readonly TimeOfDay[]): ReadTimes {
  const minutes = new Set(times.map(({ minute }) => minute))
  if (minutes.size > 1)
    return unclear('Several times of day need the same minute, such as at 8:30 and 17:30.')
  const hours = [...new Set(times.map(({ hour }) => hour))].toSorted((a, b) => a - b)
  return { kind: 'times', cron: `${[...minutes].join()} ${hours.join(',')} ${days}` }
}
