/**
 * A circuit breaker for each profile: 3 failures within 60 seconds keep it from being asked for 5 minutes. A provider
 * that names a time to come back is not asked before it, for at most as long. In memory: a restart tries again.
 *
 *     closed ──3 failures in 60 s, or "retry after"──▶ open ──time is over──▶ closed
 *        ▲─────────────an answer───────────────────────┘
 */
export interface Circuits {
  failed(profile: string): void
  answered(profile: string): void
  /** The provider asked to be left alone for so long. */
  pause(profile: string, ms: number): void
  /** Until when it is not asked, in milliseconds; undefined if it may be. */
  openUntil(profile: string): number | undefined
}

const MOST_FAILURES = 3
const WITHIN_MS = 60_000
const OPEN_MS = 300_000

export function createCircuits(now: () => number): Circuits {
  const failures = new Map<string, readonly number[]>()
  const open = new Map<string, number>()
  return {
    failed(profile) {
      const recent = (failures.get(profile) ?? []).filter((at) => now() - at < WITHIN_MS)
      const all = [...recent, now()]
      failures.set(profile, all)
      if (all.length < MOST_FAILURES) return
      failures.delete(profile)
      open.set(profile, now() + OPEN_MS)
    },
    answered(profile) {
      failures.delete(profile)
      open.delete(profile)
    },
    pause(profile, ms) {
      open.set(profile, Math.max(open.get(profile) ?? 0, now() + Math.min(ms, OPEN_MS)))
    },
    openUntil(profile) {
      const until = open.get(profile)
      return until !== undefined && until > now() ? until : undefined
    },
  }
}
