/** Parses an option that names a time in the past, in the time zone of this machine where it names none. Pure. */
import { CordonError } from '../../kernel/error.ts'

const UNITS: ReadonlyMap<string, number> = new Map([
  ['m', 60_000],
  ['h', 3_600_000],
  ['d', 86_400_000],
  ['w', 604_800_000],
])
const AGO = /^(\d{1,6}) ?([mhdw])(?:in|inutes?|ours?|ays?|eeks?)?(?: ago)?$/
const DATE = /^\d{4}-\d\d-\d\d(?=$|[T ])/

export function pastTime(text: string, now: Date): Date {
  const word = text.trim()
  const time = timeAgo(word, now) ?? namedDay(word, now) ?? writtenTime(word)
  if (!Number.isNaN(time.getTime())) return time
  throw new CordonError(
    'cli.time',
    { exit: 2, hint: 'Write it like 2026-11-15, 2026-11-15T08:00, 2h, 3d, today or yesterday' },
    `Cannot read ${JSON.stringify(text)} as a time`,
  )
}

function timeAgo(word: string, now: Date): Date | undefined {
  const [, count, unit = ''] = AGO.exec(word) ?? []
  if (count === undefined) return undefined
  return new Date(now.getTime() - Number(count) * (UNITS.get(unit) ?? 0))
}

function namedDay(word: string, now: Date): Date | undefined {
  if (word === 'today') return midnight(now, 0)
  return word === 'yesterday' ? midnight(now, 1) : undefined
}

/** A date alone would be read as UTC. */
function writtenTime(word: string): Date {
  const [date] = DATE.exec(word) ?? []
  if (date === undefined) return new Date(Number.NaN)
  return new Date(date === word ? `${word}T00:00` : word)
}

/** Not 24 hours earlier: a day may be longer or shorter. */
function midnight(now: Date, daysAgo: number): Date {
  return new Date(now.getFullYear(), now.getMonth(), now.getDate() - daysAgo)
}
