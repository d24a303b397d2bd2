/** Reads `notion`, `today`, `2026-11-16`, `telegram` in "forget everything that came from …". Pure. */

export type ForgetSource =
  | { readonly kind: 'server'; readonly server: string }
  /** In the time zone of this machine: `2026-11-16`. */
  | { readonly kind: 'day'; readonly day: string }
  | { readonly kind: 'channel'; readonly channel: string }
  | { readonly kind: 'all' }

const CHANNELS: ReadonlySet<string> = new Set(['terminal', 'page', 'telegram'])
const DAY = /^\d{4}-\d{2}-\d{2}$/

/** `server:telegram` names the server where a channel has the same name. */
export function parseForgetSource(words: string, now: number): ForgetSource {
  const text = words
    .trim()
    .toLowerCase()
    .replace(/^(?:the|my)\s+/, '')
  const [kind, name] = splitKind(text)
  if (kind === 'server') return { kind, server: name }
  if (kind === 'channel') return { kind, channel: name }
  if (text === 'everywhere') return { kind: 'all' }
  if (text === 'today') return { kind: 'day', day: localDay(now) }
  if (text === 'yesterday') return { kind: 'day', day: localDay(yesterday(now)) }
  if (DAY.test(text)) return { kind: 'day', day: text }
  return CHANNELS.has(text) ? { kind: 'channel', channel: text } : { kind: 'server', server: text }
}

/** The calendar day of a time, as the clock on the wall shows it. */
export function localDay(time: number): string {
  const date = new Date(time)
  const [month, day] = [date.getMonth() + 1, date.getDate()]
  return [String(date.getFullYear()).padStart(4, '0'), two(month), two(day)].join('-')
}

/** Noon of the day before: also right where a day has 23 or 25 hours. */
function yesterday(now: number): number {
  const date = new Date(now)
  return new Date(date.getFullYear(), date.getMonth(), date.getDate() - 1, 12).getTime()
}

/** `server notion`, `server:notion`, `channel telegram`. */
function splitKind(text: string): readonly [kind: string, name: string] {
  const found = /^(server|channel)[\s:]\s*(\S+)$/.exec(text)
  return [found?.[1] ?? '', found?.[2] ?? '']
}

function two(number: number): string {
  return String(number).padStart(2, '0')
}
