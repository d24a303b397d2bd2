/** How long a server asks its caller to wait: by HTTP headers, or in the data of a JSON-RPC error. Pure. */
import { isJsonObject } from './json-bounds.ts'

/** A longer wait tells nobody anything, and is left out. */
const MOST_SECONDS = 366 * 24 * 3600

/** RFC 9110 §10.2.3: seconds or a date; or the moment that several services name in `X-RateLimit-Reset`. */
export function retryAfterOf(headers: Headers, now: number): number | undefined {
  const asked = headers.get('retry-after')?.trim() ?? ''
  if (/^\d{1,9}$/.test(asked)) return plausible(Number(asked))
  const date = asked === '' ? Number.NaN : Date.parse(asked)
  if (!Number.isNaN(date)) return plausible((date - now) / 1000)
  const reset = headers.get('x-ratelimit-reset')?.trim() ?? ''
  return /^\d{10}$/.test(reset) ? plausible(Number(reset) - now / 1000) : undefined
}

const IN_SECONDS = ['retryAfter', 'retry_after', 'retryAfterSeconds', 'retry_after_seconds']
const IN_MS = ['retryAfterMs', 'retry_after_ms']

/** `{"retryAfter": 30}`: no specification names the member, so the usual ones are known. */
export function retryAfterIn(data: unknown): number | undefined {
  if (!isJsonObject(data)) return undefined
  const find = (names: readonly string[]): number | undefined =>
    names.map((name) => data[name]).find((value) => typeof value === 'number')
  const ms = find(IN_MS)
  return plausible(find(IN_SECONDS) ?? (ms === undefined ? Number.NaN : ms / 1000))
}

/** ` for 90 seconds`, ` for 5 minutes, until 14:30 UTC`: completes "it asks to wait …". */
export function showWait(seconds: number, now: number = Date.now()): string {
  if (seconds <= 120) return `for ${seconds} ${seconds === 1 ? 'second' : 'seconds'}`
  const until = new Date(now + seconds * 1000).toISOString()
  const time = seconds < 20 * 3600 ? until.slice(11, 16) : until.slice(0, 16).replace('T', ' ')
  const hours = Math.round(seconds / 3600)
  const long = seconds < 5400 ? `${Math.round(seconds / 60)} minutes` : `${hours} hours`
  return `for ${long}, until ${time} UTC`
}

function plausible(seconds: number): number | undefined {
  const whole = Math.max(1, Math.ceil(seconds))
  return Number.isFinite(seconds) && whole <= MOST_SECONDS ? whole : undefined
}
