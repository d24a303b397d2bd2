/** What the host knows of a tool. Decided by the host from sandbox, catalog and owner; a server's word can only make it stricter. */
import type { Effect } from './effect.ts'
import type { Level } from '../labels/label.ts'
import type { ToolId } from './tool-id.ts'

/**
 * What an argument is for. Everything but `content` steers what happens: to whom, where, how much. A `locator` (a URL, a
 * host) can lead outside the server; a `query` and a plain `target` (an id, a name) stay with it.
 */
export const ROLES = ['content', 'query', 'target', 'amount', 'locator'] as const
export type Role = (typeof ROLES)[number]

/** The most confidential that a server may be sent: of its own, and of everybody else's. */
export interface Clearance {
  readonly own: Level
  readonly others: Level
}

/** Why a tool cannot be called just now. */
export type Blocked = 'unknown' | 'quarantined' | 'collides' | 'disabled'

export interface ToolFacts {
  readonly id: ToolId
  /** The server as its owner calls it. */
  readonly serverName: string
  readonly blocked?: Blocked
  readonly effect: Effect
  /** By argument; of one that is not named, `target`. */
  readonly roles: ReadonlyMap<string, Role>
  readonly clearance: Clearance
  /** Of the definition, and of how its server is launched: approvals and grants hold for exactly these. */
  readonly hash: string
  readonly serverPin: string
  /** Whether the owner or the catalog vouches for its words, so that a planner may read them. */
  readonly isVouchedFor: boolean
}
