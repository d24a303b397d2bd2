/**
 * The port between the engine and the database of runs. A run is on disk before it is worked on, one process at a time
 * owns it, and a process that lost a run can write nothing of it. The values are plain JSON that it never looks into.
 */
import type { Json } from '../../text/json.ts'
import type { PostgresTarget } from '../../kernel/postgres-target.ts'

export type StoredState = 'running' | 'completed' | 'failed' | 'cancelled'

export interface StoredRun {
  readonly id: string
  readonly state: StoredState
  readonly input: Json
  /** Of a run that completed. */
  readonly output?: Json
  /** Of a run that failed. */
  readonly problem?: Json
  readonly startedAt: Date
  readonly endedAt?: Date
  /** No process works on it until its time comes or its question is answered. */
  readonly isParked: boolean
}

export interface StoredStep {
  readonly id: string
  /** Its place in the order in which the steps of the run began. */
  readonly number: number
  readonly name: string
  readonly kind: 'step' | 'question'
  /** `begun`: no end is on record. */
  readonly state: 'begun' | 'done' | 'failed'
  /** Written when it began. */
  readonly note: Json
  /** Written when it ended. */
  readonly result?: Json
  readonly startedAt: Date
  readonly endedAt?: Date
}

/** A run that this process owns. Every method throws `RunLost` once that is over. */
export interface OwnedRun {
  readonly id: string
  readonly input: Json
  /** As they were when it was claimed; the oldest first. */
  readonly steps: readonly StoredStep[]
  /** The names of steps that had failed when the owner reopened the run, each as often as it failed. */
  readonly reopened: readonly string[]
  /** Aborts when it is cancelled or lost. */
  readonly signal: AbortSignal
  /** On disk when it returns, and with it everything that was noted before. */
  begin(name: string, note: Json): Promise<StoredStep>
  /**
   * For a step that is over and is worked out anew on resume. Kept in memory and written in one transaction with others:
   * before the next step begins, the run waits or ends, or somebody reads its steps. A process that is killed loses it.
   */
  note(name: string, note: Json): Promise<void>
  done(step: StoredStep, result: Json): Promise<void>
  failed(step: StoredStep, result: Json): Promise<void>
  /** Puts a question, which stays open until `answer` is called in any process. */
  ask(name: string, note: Json): Promise<StoredStep>
  /** Undefined while the question is open. */
  answerTo(question: StoredStep): Promise<Json | undefined>
  /** Throws when the lease may have run out, by the clock alone, such as after the machine slept. */
  assertOurs(): void
  /** A process that ends waits for this work: a call is made and its end is written. */
  calling<T>(work: () => Promise<T>): Promise<T>
  /** Only waiting for a person: does not count against the concurrency limit meanwhile. */
  waiting<T>(work: () => Promise<T>): Promise<T>
}

/** How the work on a run ended. */
export type RunOutcome =
  | { readonly kind: 'completed'; readonly output: Json }
  | { readonly kind: 'failed'; readonly problem: Json }
  /** Resumed at `until`, or when its question is answered. */
  | { readonly kind: 'parked'; readonly until?: Date }

export interface FlowRuntime extends AsyncDisposable {
  /** Starts to work on what is stored. Before that, runs are only kept: a process answers first, then it works. */
  readonly begin: () => void
  /** On disk when it returns. Idempotent. */
  readonly start: (id: string, input: Json) => Promise<StoredRun>
  readonly find: (id: string) => Promise<StoredRun | undefined>
  /** The newest first. */
  readonly list: (limit: number, before?: string) => Promise<RunPage>
  readonly steps: (id: string) => Promise<readonly StoredStep[]>
  /** On disk when it returns. Work of this process on it is told to stop. */
  readonly cancel: (id: string) => Promise<void>
  /** Whether there was such a question, and it was open. */
  readonly answer: (id: string, question: string, answer: Json) => Promise<boolean>
  /** Resumes a failed run; the steps that failed are tried anew. Whether it had failed. */
  readonly reopen: (id: string) => Promise<boolean>
}

export interface RunPage {
  readonly runs: readonly StoredRun[]
  /** Where the next page begins. */
  readonly next?: string
}

/** The database of runs: a file for one process, or a server for several. */
export type RunPlace =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly target: PostgresTarget }

/** Another process has the run now, or it was cancelled: this process must do nothing more for it. */
export class RunLost extends Error {
  override readonly name = 'RunLost'

  constructor() {
    super('The run is no longer ours')
  }
}
