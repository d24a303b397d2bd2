/** Runs that this process is working on: how far each of them is, without asking the database. */
import type { FlowRun } from '../../kernel/flow-port.ts'

export interface LiveRun {
  readonly progress: { readonly stepsDone: number }
  /** The part of the run that does not change while it is worked on; read when it is first followed. */
  head?: FlowRun
}

export type LiveRuns = Map<string, LiveRun>
