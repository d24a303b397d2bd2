/** The runs that this process works on, and their progress, without a query to the database. */
import type { FlowRun } from '../../ports/flow-port.ts'

export interface LiveRun {
  readonly progress: { readonly stepsDone: number }
  /** The facts that do not change while the run is worked on; read at the first request. */
  head?: FlowRun
}

export type LiveRuns = Map<string, LiveRun>
