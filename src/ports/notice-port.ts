/** Notices for the owner, kept until they are seen or their cause is gone. */
export type NoticeKind =
  | 'sign-in'
  | 'scopes'
  | 'given-up'
  | 'blocked'
  | 'credential'
  | ToolsKind
  | DueKind
/**
 * `approval`: a question that no surface has shown. `late`: schedules and watches that were due while no kernel ran.
 * `stuck`: a run over which process after process died; under the id of the run.
 */
type DueKind = 'approval' | 'late' | 'stuck' | DeliveredKind
/**
 * Deliveries: `result` is of a scheduled run, `asks` of one that waits for an answer. Told in the channel that the owner
 * named, so no other channel repeats them.
 */
type DeliveredKind = 'watch' | 'watch-failed' | 'result' | 'asks'
type ToolsKind = 'quarantine' | 'update' | 'withdrawn'

/** Raises and withdraws notices. Neither throws nor waits; a cause that is raised again is counted, not repeated. */
export interface Noticing {
  /** `items`: the hosts, scopes, tools or flows in question. Texts may be untrusted. */
  raise(kind: NoticeKind, server: string, items?: readonly string[], reason?: string): void
  /** The cause is gone: for these items, or for all. */
  resolve(kind: NoticeKind, server: string, items?: readonly string[]): void
}
