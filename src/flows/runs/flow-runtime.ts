/**
 * What the engine needs of whatever keeps its runs: a run is written down before it is worked on, every step of it is
 * written down when it begins and when it ends, and one process at a time owns it. Whoever lost a run can write nothing
 * of it any more. The values in it are plain JSON; it never looks into them.
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
  /** Nobody works on it, and nobody will before something happens. */
  readonly isParked: boolean
}

export interface StoredStep {
  readonly id: string
  /** Its place in the order in which the steps of the run began. */
  readonly number: number
  readonly name: string
  readonly kind: 'step' | 'question'
  /** `begun`: nobody knows how it ended. */
  readonly state: 'begun' | 'done' | 'failed'
  /** What was written down when it began. */
  readonly note: Json
  /** What it ended with. */
  readonly result?: Json
  readonly startedAt: Date
  readonly endedAt?: Date
}

/** A run that this process owns. Every method throws `RunLost` once that is over. */
export interface OwnedRun {
  readonly id: string
  readonly input: Json
  /** As they were when it became ours; the oldest first. */
  readonly steps: readonly StoredStep[]
  /** The names of those that had failed when its owner had it taken up again, each as often as it did. */
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
  /** Puts a question; it stays until `answer` is called, in whichever process. */
  ask(name: string, note: Json): Promise<StoredStep>
  /** Undefined where nobody answered yet. */
  answerTo(question: StoredStep): Promise<Json | undefined>
  /** Throws when the lease may have run out, by the clock alone, such as after the machine slept. */
  assertOurs(): void
  /** A call is made and written down: a process that ends waits for that. */
  calling<T>(work: () => Promise<T>): Promise<T>
  /** Only waiting for a person: does not count against the concurrency limit meanwhile. */
  waiting<T>(work: () => Promise<T>): Promise<T>
}

/** What became of a run when the work on it ended. */
export type RunOutcome =
  | { readonly kind: 'completed'; readonly output: Json }
  | { readonly kind: 'failed'; readonly problem: Json }
  /** Until then, or until a question of it is answered. */
  | { readonly kind: 'parked'; readonly until?: Date }

export interface FlowRuntime extends AsyncDisposable {
  /** Starts to work on what is stored. Before that, runs are only kept: a process answers first, then it works. */
  readonly begin: () => void
  /** On disk when it returns. Starting twice is starting once. */
  readonly start: (id: string, input: Json) => Promise<StoredRun>
  readonly find: (id: string) => Promise<StoredRun | undefined>
  /** The newest first. */
  readonly list: (limit: number, before?: string) => Promise<RunPage>
  readonly steps: (id: string) => Promise<readonly StoredStep[]>
  /** On disk when it returns. What is under way here is told to stop. */
  readonly cancel: (id: string) => Promise<void>
  /** Whether there was such a question, and nobody had answered it. */
  readonly answer: (id: string, question: string, answer: Json) => Promise<boolean>
  /** Takes a failed run up again; what failed in it is tried anew. Whether it had failed. */
  readonly reopen: (id: string) => Promise<boolean>
}

export interface RunPage {
  readonly runs: readonly StoredRun[]
  /** Where the next page begins. */
  readonly next?: string
}

/** Where runs are kept: in a file of one process, or in a database of several. */
export type RunPlace =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly target: PostgresTarget }

/** Another process has the run now, or it was cancelled. Nothing more may be done for it here. */
export class RunLost extends Error {
  override readonly name = 'RunLost'

  constructor() {
    super('The run is no longer ours')
  }
}
