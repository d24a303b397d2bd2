/** Which of the dates of a clause an argument takes, and in which form: a day, or a moment of RFC 3339. Pure. */
import { type FoundDate, offsetAt } from './read-dates.ts'
import type { ArgumentTemplate } from './tool-template.ts'

const DAY = 24 * 60 * 60_000
const ENDS = /end|max|until|before|to$|checkout/i
const DAYS = /date|check_?(?:in|out)|day/i

export function dateFor(
  dates: readonly FoundDate[],
  { arg }: ArgumentTemplate,
  timezone: string,
): string | undefined {
  const [first, second] = dates
  if (!first) return undefined
  const moment = ENDS.test(arg.name) ? endOf(first, second) : first.from
  return moment === undefined ? undefined : showMoment(moment, DAYS.test(arg.name), timezone)
}

/** A named day ends with the next one; a moment has no end of its own. */
function endOf(first: FoundDate, second: FoundDate | undefined): number | undefined {
  return first.to ?? second?.from ?? (first.hasTime ? undefined : first.from + DAY)
}

function showMoment(moment: number, isDay: boolean, timezone: string): string {
  const offset = offsetAt(moment, timezone)
  const local = new Date(moment + offset * 60_000).toISOString()
  if (isDay) return local.slice(0, 10)
  const pad = (part: number): string => String(Math.trunc(part)).padStart(2, '0')
  const size = Math.abs(offset)
  const zone = offset === 0 ? 'Z' : `${offset < 0 ? '-' : '+'}${pad(size / 60)}:${pad(size % 60)}`
  return `${local.slice(0, 19)}${zone}`
}
