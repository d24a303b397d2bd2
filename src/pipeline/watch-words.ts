/** Sentences about watches: `tell me when notes.txt changes every 10 minutes`, `stop watching 2`, `watches`. Pure. */

export type WatchWords =
  | { readonly kind: 'watch'; readonly about: string; readonly everyMs: number }
  | { readonly kind: 'stop'; readonly number: number }
  | { readonly kind: 'list' }

const USUAL_MS = 5 * 60_000
export const SHORTEST_MS = 10_000
const LONGEST_MS = 7 * 24 * 60 * 60_000

const TELL =
  /^(?:please )?(?:tell|ping|notify|warn|alert) me (?:when|if|as soon as) (.+?) (?:changes?|is (?:changed|updated)|has changed|gets? (?:changed|updated))$/i
const LET =
  /^(?:please )?let me know (?:when|if|as soon as) (.+?) (?:changes?|is (?:changed|updated)|has changed)$/i
const WATCH = /^(?:please )?(?:watch|keep an eye on) (.+)$/i
const STOP = /^(?:please )?stop (?:watching|watch)(?: number)? (\d{1,4})$/i
const LIST = /^\/?(?:(?:list|show)(?: my| the)? )?watches$/i
const EVERY = /,? every (?:(\d{1,5}) )?(second|minute|hour|day)s?$/i
const UNITS = { second: 1000, minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const

export function watchWords(words: string): WatchWords | undefined {
  const said = words.trim().replace(/[.!]$/, '')
  if (LIST.test(said)) return { kind: 'list' }
  const stopped = STOP.exec(said)?.[1]
  if (stopped !== undefined) return { kind: 'stop', number: Number(stopped) }
  const every = EVERY.exec(said)
  const rest = every ? said.slice(0, every.index) : said
  const about = (TELL.exec(rest) ?? LET.exec(rest) ?? WATCH.exec(rest))?.[1]?.trim()
  return about === undefined ? undefined : { kind: 'watch', about, everyMs: msOf(every) }
}

function msOf(every: RegExpExecArray | null): number {
  if (!every) return USUAL_MS
  const unit = (every[2] ?? 'minute').toLowerCase() as keyof typeof UNITS
  const ms = Number(every[1] ?? '1') * UNITS[unit]
  return Math.min(LONGEST_MS, Math.max(SHORTEST_MS, ms))
}
