/** How much one server may ask of its proxy. A test or a benchmark hands in others; no setting changes them. */

export interface EgressLimits {
  /** Connections open at once, whatever stage they are in. */
  readonly tunnels: number
  /** New tunnels a second, and how many may come at once after a pause. */
  readonly newPerSecond: number
  readonly headBytes: number
  readonly headMs: number
  /** For the lookup, and again for reaching the host. */
  readonly connectMs: number
  readonly helloBytes: number
  readonly helloMs: number
  /** How long nothing may pass in either direction. */
  readonly idleMs: number
}

export const DEFAULT_LIMITS: EgressLimits = {
  tunnels: 64,
  newPerSecond: 20,
  headBytes: 8192,
  headMs: 10_000,
  connectMs: 10_000,
  helloBytes: 16_384,
  helloMs: 5000,
  idleMs: 300_000,
}
