/**
 * The renewals of this process. Concurrent callers for a token share one renewal, which continues when a caller aborts;
 * an unreachable server is retried with backoff; a token known to be fresh is not read again.
 */
import { createBackoff } from './backoff.ts'
import { type Renewal, type RenewDeps, renewToken } from './renew-token.ts'
import { hashToken, hasExpired, renewalTime, type StoredToken } from './stored-token.ts'

export type Freshness =
  /**
   * `hash` is the SHA-256 of the access token: a lent token with another hash is out of date. The token is renewed from
   * `until` on (ms since 1970).
   */
  | { readonly kind: 'fresh'; readonly hash: string; readonly until: number }
  /** The renewal failed and is retried from `retryAt` on (ms since 1970). `usable` until the token expires. */
  | {
      readonly kind: 'unavailable'
      readonly usable: boolean
      readonly reason: string
      readonly retryAt: number
    }
  /** Renewal is impossible until the owner signs in again. */
  | { readonly kind: 'needs-authorization'; readonly usable: boolean; readonly reason: string }

export interface Renewals {
  /** The last known freshness, while the token does not need a renewal yet. */
  believed(name: string): Freshness | undefined
  judge(name: string, renewal: Renewal): Freshness
  /** Renews this token, unless the backoff after a failure is still running. */
  renew(name: string, token: StoredToken, signal: AbortSignal): Promise<Freshness>
  /** Drops the remembered freshness and the backoff. */
  forget(name: string): void
  /** The name of the token with this hash, among all tokens this process has seen, outdated ones included. */
  nameOf(hash: string): string | undefined
  /** The resource that a token seen by this process was issued for; undefined if it is not bound to one. */
  audienceOf(name: string): string | undefined
}

export function createRenewals(deps: RenewDeps): Renewals {
  const { now } = deps
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
    const flight = renewToken(deps, name, token)
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
