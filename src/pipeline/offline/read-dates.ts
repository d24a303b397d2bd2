/** Dates and times in a sentence, found by chrono (English), in the owner's time zone. Pure. */
import { parse, type ParsedResult } from 'chrono-node/en'
import type { Token } from './read-tokens.ts'

export interface FoundDate {
  /** Position in the sentence. */
  readonly start: number
  readonly end: number
  /** Milliseconds. A day without a time begins at midnight. */
  readonly from: number
  /** Absent if only one moment or day is named. */
  readonly to?: number
  readonly hasTime: boolean
}

const MINUTE = 60_000

export function readDates(
  text: string,
  tokens: readonly Token[],
  { now, timezone }: { readonly now: number; readonly timezone: string },
): readonly FoundDate[] {
  const offset = offsetAt(now, timezone)
  const found = parse(
    withoutValues(text, tokens),
    { instant: new Date(now), timezone: offset },
    {
      forwardDate: true,
    },
  )
  return found.map((one) => dateOf(one, timezone))
}

/** Minutes east of Greenwich at a moment; 0 for a time zone that is not known. */
export function offsetAt(at: number, timezone: string): number {
  try {
    const name =
      formatOf(timezone)
        .formatToParts(at)
        .find(({ type }) => type === 'timeZoneName')?.value ?? ''
    const [, sign = '+', hours = '0', minutes = '0'] = /([+-])(\d\d):(\d\d)/.exec(name) ?? []
    return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
  } catch {
    return 0
  }
}

/** Kept, by the names of time zones that exist: making one takes a millisecond. */
const FORMATS = new Map<string, Intl.DateTimeFormat>()

function formatOf(timezone: string): Intl.DateTimeFormat {
  const known = FORMATS.get(timezone)
  if (known) return known
  const made = new Intl.DateTimeFormat('en-US', { timeZone: timezone, timeZoneName: 'longOffset' })
  FORMATS.set(timezone, made)
  return made
}

/** Quoted texts, paths and ids hold no date of the request. Blanks keep all positions. */
function withoutValues(text: string, tokens: readonly Token[]): string {
  const blanked = tokens.reduce((left, { kind, start, end }) => {
    const isKept =
      kind === 'word' ||
      kind === 'mark' ||
      kind === 'number' ||
      /\d-\d|\d:\d|^\d+(?:am|pm)$/i.test(left.slice(start, end))
    return isKept ? left : left.slice(0, start) + ' '.repeat(end - start) + left.slice(end)
  }, text)
  return blanked.replaceAll(/\bbetween (\S+(?: [ap]m)?) and /gi, 'from    $1 to  ')
}

function dateOf(result: ParsedResult, timezone: string): FoundDate {
  const hasTime = result.start.isCertain('hour')
  const momentOf = (date: Date): number =>
    hasTime ? date.getTime() : midnight(date.getTime(), timezone)
  return {
    start: result.index,
    end: result.index + result.text.length,
    from: momentOf(result.start.date()),
    ...(result.end && { to: momentOf(result.end.date()) }),
    hasTime,
  }
}

function midnight(at: number, timezone: string): number {
  const shift = offsetAt(at, timezone) * MINUTE
  const day = 24 * 60 * MINUTE
  return Math.floor((at + shift) / day) * day - shift
}
