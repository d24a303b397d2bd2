/** Limits of one server's proxy. Tests and benchmarks pass in others; no setting changes them. */
import type { RateLimit } from '../../text/rate-limit.ts'

export interface EgressLimits {
  /** Connections open at once, in any stage. */
  readonly tunnels: number
  /** Rate limit for new tunnels, per second; also the burst after a pause. */
  readonly newPerSecond: number
  /** Connections of any outcome; those above the rate wait unread. */
  readonly connections: RateLimit
  /** Connections above `tunnels`; a server with more of them loses its way out until it is started again. */
  readonly turnedAway: RateLimit
  /** Requests in sealed connections, of all of them together; those above the rate wait. */
  readonly sealedRequests: RateLimit
  readonly headBytes: number
  readonly headMs: number
  /** For the DNS lookup, and again for the connection to the host. */
  readonly connectMs: number
  /** The head of one request in a sealed connection. */
  readonly sealedHeadBytes: number
  readonly helloBytes: number
  readonly helloMs: number
  /** The longest time without traffic in either direction. */
  readonly idleMs: number
}

export const DEFAULT_LIMITS: EgressLimits = {
  tunnels: 64,
  newPerSecond: 20,
  connections: { atOnce: 200, perSecond: 50 },
  turnedAway: { atOnce: 2000, perSecond: 100 },
  sealedRequests: { atOnce: 4000, perSecond: 250 },
  headBytes: 8192,
  headMs: 10_000,
  connectMs: 10_000,
  sealedHeadBytes: 32_768,
  helloBytes: 16_384,
  helloMs: 5000,
  idleMs: 300_000,
}
