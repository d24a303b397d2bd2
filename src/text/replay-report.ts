/** A replay: earlier decisions, made again under the policy of today, with permissions added or taken away. */

/** A permission that the owner considers: not given yet. */
export type TriedGrant =
  | { readonly kind: 'tool'; readonly tool: string }
  | { readonly kind: 'flow'; readonly origin: string; readonly tool: string }

export interface ReplayRequest {
  readonly days: number
  readonly grants: readonly TriedGrant[]
  /** Ids of grants to leave out. */
  readonly without: readonly string[]
}

export type Decided = Readonly<Record<'allow' | 'ask' | 'deny', number>>

export interface ReplayReport {
  readonly since: string
  /** Calls that could be judged again. */
  readonly decisions: number
  /** Calls whose grounds are not in the log, or cannot be read. */
  readonly unjudged: number
  /** Why the log is not whole; the replay then covers what can be read. */
  readonly damage: string | null
  /** As they were decided. */
  readonly before: Decided
  /** Under the rules and permissions of today. */
  readonly today: Decided
  /** With the changes that were asked for. */
  readonly changed: Decided
  /** Calls that would be decided otherwise than today, most frequent first. */
  readonly differences: readonly {
    readonly tool: string
    readonly from: 'allow' | 'ask' | 'deny'
    readonly to: 'allow' | 'ask' | 'deny'
    readonly rule: string
    readonly times: number
  }[]
}
