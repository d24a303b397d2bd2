/**
 * The few things about stored runs that openworkflow has no method for, as SQL on its own tables: finding a run by the
 * id its owner gave it, writing several steps at once, freeing the runs of a dead process, reopening what failed, and
 * forgetting what is old. And new runs and answers: openworkflow's own way to write those to PostgreSQL reserves a
 * connection, which can end the process when the server cuts it.
 */
import type { Backend } from 'openworkflow/internal'
import type { OwRun } from './stored-run.ts'

/** The only workflow name: the flow itself is the input of the workflow. */
export const WORKFLOW = 'cordon-flow'
/** The default namespace of openworkflow; its indexes begin with it. */
export const NAMESPACE = 'default'

/** Who works on a run, in openworkflow's words. */
export interface Owner {
  readonly workflowRunId: string
  readonly workerId: string
}

/** A step that is over as soon as it is written. */
export interface NotedStep {
  readonly stepName: string
  readonly config: string
}

/**
 * Kept with a run: how often a process died while it worked on it, in a row and with nothing new on record. `seen` is
 * what was on record the last time: steps that began, and steps that ended.
 */
export interface Losses {
  readonly lost: number
  readonly seen: number
}

export interface RunTable {
  readonly backend: Backend
  /** The next run that nobody works on. First frees the runs of dead processes, and counts that in their `Losses`. */
  claim(workerId: string, leaseMs: number): Promise<OwRun | null>
  /** All of them or none. False where the run is no longer this owner's. */
  addSteps(owner: Owner, steps: readonly NotedStep[]): Promise<boolean>
  /** Writes a new run, unless there is one with that id. */
  create(run: string, input: string): Promise<void>
  /** The id openworkflow gave it. */
  readonly idOf: (run: string) => Promise<string | undefined>
  /** Answers the question with this name. Whether it was open. */
  answer(signal: string, data: string): Promise<boolean>
  /** Sets a failed run back to where it failed. Whether it had failed. */
  reopen(run: string): Promise<boolean>
  /** Removes runs that ended before. */
  forget(before: Date): Promise<void>
  /** A `CordonError` for an error of the database; anything else as it is. */
  explain(error: unknown): unknown
  close(): Promise<void>
}

/** Steps that had failed when their run was reopened are kept under a name with this prefix. */
export const BEFORE_REOPENING = 'before:'
