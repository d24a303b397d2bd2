/** A time that is to come, in words: `Friday 5 January, 09:00 (in 14 hours)`. */

const STEPS: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [86_400_000, 'day'],
  [3_600_000, 'hour'],
  [60_000, 'minute'],
]

export function sayWhen(iso: string, now: number): string {
  const date = new Date(iso)
  const day = date.toLocaleDateString([], { weekday: 'long', day: 'numeric', month: 'long' })
  const time = date.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit' })
  return `${day}, ${time} (${sayFromNow(date.getTime() - now)})`
}

function sayFromNow(ms: number): string {
  const format = new Intl.RelativeTimeFormat([], { numeric: 'always' })
  const [size, unit] = STEPS.find(([one]) => Math.abs(ms) >= one) ?? [60_000, 'minute']
  return format.format(Math.round(ms / size), unit)
}
