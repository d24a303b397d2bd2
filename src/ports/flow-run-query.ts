/** Which runs a list has, the newest first. */
import type { RunState } from '../kernel/run-state.ts'

export interface FlowRunQuery {
  readonly limit: number
  readonly state?: RunState
  /** As `FlowRun` says it. */
  readonly flow?: string
  /** Runs that started at this time or later, in milliseconds since 1970. */
  readonly since?: number
}
