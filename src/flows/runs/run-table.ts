/**
 * SQL on openworkflow's tables, for operations that its API lacks: finding a run by the id its owner gave it, writing
 * several steps at once, freeing the runs of a dead process, reopening failed runs, and deleting old ones. Also for new
 * runs and answers: openworkflow's own way to write those to PostgreSQL reserves a connection, which can end the
 * process when the server closes it.
 */
import type { Backend } from 'openworkflow/internal'
import type { OwRun } from './stored-run.ts'

/** The only workflow there is: the flow itself is its input. */
export const WORKFLOW = 'cordon-flow'
/** The default namespace of openworkflow; the indexes begin with this column. */
export const NAMESPACE = 'default'

/** The worker that holds a run, in openworkflow's terms. */
export interface Owner {
  readonly workflowRunId: string
  readonly workerId: string
}

/** A step that is already over when it is written. */
export interface NotedStep {
  readonly stepName: string
  readonly config: string
}

/**
 * Stored with a run: how many processes in a row died while working on it, without new progress on record. `seen` is
 * the progress at the last loss: steps begun plus steps completed.
 */
export interface Losses {
  readonly lost: number
  readonly seen: number
}

export interface RunTable {
  readonly backend: Backend
  /** Claims the next run that no process holds. First frees runs of dead processes, and counts it in their `Losses`. */
  claim(workerId: string, leaseMs: number): Promise<OwRun | null>
  /** Writes all steps or none. False if this owner no longer holds the run. */
  addSteps(owner: Owner, steps: readonly NotedStep[]): Promise<boolean>
  /** Writes a new run, unless a run with that id exists; `sync` brings it to disk. */
  create(run: string, input: string): Promise<OwRun>
  /** Resolves once everything that was written before is on disk. */
  readonly sync: () => Promise<void>
  /** The same a little later, to share the sync of another caller. */
  readonly syncSoon: () => Promise<void>
  /** The id that openworkflow gave to the run. */
  readonly idOf: (run: string) => Promise<string | undefined>
  /** openworkflow's ids of the runs that have not ended, the newest first. */
  idsOfOpen(limit: number): Promise<readonly string[]>
  countOpen(): Promise<number>
  /** Answers the open question with this name; false if there is none. */
  answer(signal: string, data: string): Promise<boolean>
  /** Sets a failed run back to the step that failed. False if the run had not failed. */
  reopen(run: string): Promise<boolean>
  /** Deletes runs that ended before this time. */
  forget(before: Date): Promise<void>
  /** Deletes one run, if it has ended. */
  forgetRun(run: string): Promise<void>
  /** Converts a known error of the database to an error for people; any other error is returned unchanged. */
  explain(error: unknown): unknown
  close(): Promise<void>
}

/** The prefix of the names of steps that had failed when their run was reopened. */
export const BEFORE_REOPENING = 'before:'
