/**
 * The renewals of this process. All who ask for the same token share one, which goes on when they leave; a server that is
 * away is given time; and what is known to be fresh is believed without looking.
 */
import { createBackoff } from './backoff.ts'
import { type Renewal, type RenewRooms, renewToken } from './renew-token.ts'
import { hashToken, hasExpired, renewalTime, type StoredToken } from './stored-token.ts'

export type Freshness =
  /**
   * `hash` is the SHA-256 of the access token: one that was lent before and has another hash is out of date. It is
   * renewed from `until` on (ms since 1970).
   */
  | { readonly kind: 'fresh'; readonly hash: string; readonly until: number }
  /** It could not be renewed now, and is tried again from `retryAt` on (ms since 1970). `usable` until it expires. */
  | {
      readonly kind: 'unavailable'
      readonly usable: boolean
      readonly reason: string
      readonly retryAt: number
    }
  /** Only the owner can help, by signing in again. */
  | { readonly kind: 'needs-authorization'; readonly usable: boolean; readonly reason: string }

export interface Renewals {
  /** Fresh when it was last looked at, and still so by its own account. */
  believed(name: string): Freshness | undefined
  judge(name: string, renewal: Renewal): Freshness
  /** Renews this very token, unless the server is given time. */
  renew(name: string, token: StoredToken, signal: AbortSignal): Promise<Freshness>
  /** Nothing that was known of it counts any more. */
  forget(name: string): void
  /** Which token this process has seen under this hash, be it the newest or not. */
  nameOf(hash: string): string | undefined
  /** The address that a token seen by this process was issued for; undefined where it was not issued for one. */
  audienceOf(name: string): string | undefined
}

export function createRenewals(rooms: RenewRooms): Renewals {
  const { now } = rooms
  const backoff = createBackoff(now)
  const flights = new Map<string, Promise<Freshness>>()
  const seen = new Map<string, Extract<Freshness, { kind: 'fresh' }>>()

  const names = new Map<string, string>()
  const audiences = new Map<string, string | undefined>()

  const judge = (name: string, renewal: Renewal): Freshness => {
    const { token, kind } = renewal
    const usable = !hasExpired(token, now())
    seen.delete(name)
    if (kind === 'refused') return { kind: 'needs-authorization', usable, reason: renewal.reason }
    if (kind === 'unavailable') {
      return { kind, usable, reason: renewal.reason, retryAt: backoff.fail(name, renewal.reason) }
    }
    backoff.clear(name)
    const hash = hashToken(token.access_token)
    const fresh = { kind: 'fresh', hash, until: renewalTime(token) } as const
    seen.set(name, fresh)
    names.set(hash, name)
    audiences.set(name, token.resource)
    return fresh
  }
  const startFlight = (name: string, token: StoredToken): Promise<Freshness> => {
    const flight = renewToken(rooms, name, token)
      .then((renewal) => judge(name, renewal))
      .finally(() => flights.delete(name))
    flights.set(name, flight)
    return flight
  }
  return {
    judge,
    believed(name) {
      const last = seen.get(name)
      return last && now() < last.until ? last : undefined
    },
    async renew(name, token, signal) {
      signal.throwIfAborted()
      const pause = backoff.pause(name)
      if (pause) return { kind: 'unavailable', usable: !hasExpired(token, now()), ...pause }
      return await unlessAborted(flights.get(name) ?? startFlight(name, token), signal)
    },
    forget(name) {
      seen.delete(name)
      backoff.clear(name)
    },
    nameOf: (hash) => names.get(hash),
    audienceOf: (name) => audiences.get(name),
  }
}

async function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const abort = (): void => reject(signal.reason as Error)
  signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
