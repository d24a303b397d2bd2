/** Facts about a tool, from sandbox, catalog and owner. A server's hints can only make them stricter. */
import type { ContentFormat } from '../text/content-format.ts'
import { MODEL } from './built-in-tools.ts'
import type { Effect } from './effect.ts'
import type { Level } from '../labels/label.ts'
import type { ToolId } from './tool-id.ts'

/**
 * The role of an argument. Every role but `content` steers the call: to whom, to which place, how much. A `locator` (a
 * URL, a host) can lead outside the server; a `query` and a plain `target` (an id, a name) stay with it.
 */
export const ROLES = ['content', 'query', 'target', 'amount', 'locator'] as const
export type Role = (typeof ROLES)[number]

/** The highest level that a server may be sent: `own` for data that came from it, `others` for all other data. */
export interface Clearance {
  readonly own: Level
  readonly others: Level
}

/** Why a tool cannot be called now. `held`: the owner quarantined its server, and it has not changed since. */
export type Blocked = 'unknown' | 'quarantined' | 'held' | 'collides' | 'disabled'

export interface ToolFacts {
  readonly id: ToolId
  /** The server's name, as the owner sees it. */
  readonly serverName: string
  readonly blocked?: Blocked
  readonly effect: Effect
  /** The tool alone says that it reads. Chooses a question's words and whether a grant is offered, not the effect. */
  readonly claims?: 'read'
  /** By argument; an argument that is not listed is a `target`. */
  readonly roles: ReadonlyMap<string, Role>
  /** By argument. Absent: nothing is known of any. */
  readonly formats?: ReadonlyMap<string, readonly ContentFormat[]>
  /** The tool keeps what it is given on this machine, so nobody else will follow a link in it. */
  readonly isLocal?: boolean
  readonly clearance: Clearance
  /** The level of every answer of the server; absent if an answer is as confidential as the data it was made of. */
  readonly level?: Level
  /** `hash` pins the definition, `serverPin` the launch of its server: approvals and grants hold only for these two. */
  readonly hash: string
  readonly serverPin: string
  /** The version of its server, as the definition pins it; for display. */
  readonly version?: string
  /** The owner or the catalog vouches for the tool's description, so a planner may read it. */
  readonly isVouchedFor: boolean
}

/**
 * Whether an argument decides what the answer is about. A tool of which nobody says what it does may be a read; a model
 * reads nothing but its arguments.
 */
export function looksUp(facts: Pick<ToolFacts, 'effect' | 'roles' | 'id'>, name: string): boolean {
  const { effect, roles, id } = facts
  return effect !== 'write' && id.server !== MODEL && roles.get(name) !== 'content'
}
