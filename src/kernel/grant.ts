/** A grant: the owner's standing permission for one tool in its present version, until a time, for a number of uses. */
import type { PrincipalId } from './principal.ts'
import type { ServerId } from './server-id.ts'
import type { GrantOffer } from './tool-call.ts'

export const GRANT_OFFERS: readonly GrantOffer[] = ['endorse', 'flow', 'tool', 'spend', 'contact']

export type GrantKind =
  /** Data of this origin may go to this tool. */
  | { readonly kind: 'flow'; readonly origin: string }
  /**
   * The tool may be called although it cannot be undone, as long as its targets are trusted. `ids`: or are ids of its own
   * server, whoever chose among them.
   */
  | { readonly kind: 'tool'; readonly ids?: true }
  /** The tool may be called with an untrusted amount up to `max`, as long as its other targets are trusted. */
  | { readonly kind: 'spend'; readonly max: number }

export type Grant = GrantKind & {
  readonly id: string
  readonly owner: PrincipalId
  readonly server: ServerId
  readonly tool: string
  /** Pins of the tool and of its server when the grant was given: a change of either ends the grant. */
  readonly hash: string
  readonly serverPin: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly usesLeft: number
  /** Absent: never used. */
  readonly lastUsedAt?: number
}

const DAY_MS = 24 * 3_600_000
/** How long and how often a grant holds. */
export const GRANT_MS: number = 90 * DAY_MS
export const GRANT_USES = 100
/** A grant that was not used for this long is offered for removal. */
const UNUSED_MS = 60 * DAY_MS

export function isUnused({ createdAt, lastUsedAt = createdAt }: Grant, now: number): boolean {
  return now - lastUsedAt >= UNUSED_MS
}
