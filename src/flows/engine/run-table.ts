/**
 * The few things about stored runs that openworkflow has no word for, as SQL on its own tables: finding a run by the
 * name its owner gave it, giving back what a dead process held, taking up what failed, and forgetting what is old. And
 * new runs and answers, since its own way to write those to PostgreSQL reserves a connection, which can end the process
 * when the server cuts it.
 */
import type { Backend } from 'openworkflow/internal'

/** One kind of workflow is all there is: the flow is its input. */
export const WORKFLOW = 'cordon-flow'
/** What openworkflow puts everything into where nobody says otherwise; its indexes begin with it. */
export const NAMESPACE = 'default'

export interface RunTable {
  readonly backend: Backend
  /** Writes a new run down, unless there is one of that name. */
  create(run: string, input: string): Promise<void>
  /** The id openworkflow gave it. */
  readonly idOf: (run: string) => Promise<string | undefined>
  /** Gives an answer to whoever waits under this name. Whether somebody did, and nobody had answered. */
  answer(signal: string, data: string): Promise<boolean>
  /** Sets a failed run back to where it failed. Whether it had failed. */
  reopen(run: string): Promise<boolean>
  /** Removes runs that ended before. */
  forget(before: Date): Promise<void>
  /** Says in our words what a database said; anything else is returned as it is. */
  explain(error: unknown): unknown
  close(): Promise<void>
}

/** A step that failed, and was taken up again later, is kept under this name. */
export const BEFORE_REOPENING = 'before:'
