/** A standing permission of the owner, as narrow as it was given: for one tool as it is now, until a time, so many times. */
import type { PrincipalId } from './principal.ts'
import type { ServerId } from './server-id.ts'
import type { GrantOffer } from './tool-call.ts'

export const GRANT_OFFERS: readonly GrantOffer[] = ['endorse', 'flow', 'tool', 'spend']

export type GrantKind =
  /** Data of this origin may go to this tool. */
  | { readonly kind: 'flow'; readonly origin: string }
  /** It may be called although it cannot be undone, as long as its targets are trusted. */
  | { readonly kind: 'tool' }
  /** It may be called with an amount that nobody typed, up to this, as long as its other targets are trusted. */
  | { readonly kind: 'spend'; readonly max: number }

export type Grant = GrantKind & {
  readonly id: string
  readonly owner: PrincipalId
  readonly server: ServerId
  readonly tool: string
  /** Of the tool and of its server when it was given: none survives a change of either. */
  readonly hash: string
  readonly serverPin: string
  readonly createdAt: number
  readonly expiresAt: number
  readonly usesLeft: number
}
