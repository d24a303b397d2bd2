/** Times in words, relative to now: `in 3 days`, `2 hours ago`. */

const WORDS = new Intl.RelativeTimeFormat('en', { numeric: 'always' })
const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

export function inWords(iso: string, now: number = Date.now()): string {
  const ms = Date.parse(iso) - now
  for (const [unit, size] of UNITS) {
    if (Math.abs(ms) >= size) return WORDS.format(Math.trunc(ms / size), unit)
  }
  return ms > 0 ? 'in less than a minute' : 'just now'
}
