/**
 * The interface between the engine and the storage of runs: a run is on disk before work on it starts, each step is
 * recorded when it begins and when it ends, and one process at a time owns a run. A process that has lost a run can no
 * longer write to it. Values are plain JSON, which the runtime never interprets.
 */
import type { FlowQuestion } from '../../ports/flow-port.ts'
import type { KernelMessage } from './kernel-messages.ts'
import type { Json } from '../../text/json.ts'
import type { PostgresTarget } from '../../text/postgres-target.ts'

export type StoredState = 'running' | 'completed' | 'failed' | 'cancelled'

export interface StoredRun {
  readonly id: string
  /** The position of the run in a list, for the next page. */
  readonly cursor: string
  readonly state: StoredState
  readonly input: Json
  /** Only of a completed run. */
  readonly output?: Json
  /** Only of a failed run. */
  readonly problem?: Json
  /** Only of a cancelled run: what its steps came to. */
  readonly sums?: Json
  /** Of a run that goes on: the question on record that is not answered yet. */
  readonly question?: FlowQuestion
  readonly startedAt: Date
  readonly endedAt?: Date
  /** No process works on the run, nor will before its time has come or its question is answered. */
  readonly isParked: boolean
  /** The kernel that works on the run now, or that worked on it last; only where several share the log. */
  readonly kernel?: string
  readonly isHeld?: boolean
  /** Needs of the run that were not met, by the name of the kernel. */
  readonly lacks?: Readonly<Record<string, string>>
  /** The question or approval that the run waits for. */
  readonly asks?: RunAsks
}

/** A question that only the process knows which works on the run. */
export type RunAsks =
  | { readonly kind: 'approval' }
  | { readonly kind: 'input'; readonly question: FlowQuestion }

export interface StoredStep {
  /** The position in the order in which the steps of the run began. */
  readonly number: number
  readonly name: string
  readonly kind: 'step' | 'question'
  /** `begun`: no end is on record. */
  readonly state: 'begun' | 'done' | 'failed'
  /** The step had failed when the owner reopened the run. */
  readonly isBefore: boolean
  /** Recorded when the step began. */
  readonly note: Json
  /** Recorded when the step ended. */
  readonly result?: Json
  readonly startedAt: Date
  readonly endedAt?: Date
}

/** A run that this process owns. Every method throws `RunLost` once the ownership is lost. */
export interface OwnedRun {
  readonly id: string
  readonly input: Json
  /** Whether other kernels could work on the run as well, if they have what it needs. */
  readonly isShared: boolean
  readonly needs: readonly string[]
  /** As stored when this process claimed the run; the oldest first. */
  readonly steps: readonly StoredStep[]
  /** The names of the steps that had failed when the owner reopened the run, one entry for each failed try. */
  readonly reopened: readonly string[]
  /** Aborts when the run is cancelled or lost. */
  readonly signal: AbortSignal
  /**
   * The step, and every note before it, is on disk when this returns. A step that may be repeated is only written: if a
   * power failure takes it, it is begun again, as it would be with its beginning on record.
   */
  begin(name: string, note: Json, mayBeRepeated?: boolean): Promise<StoredStep>
  /**
   * Records a step that is already over and is computed again on resume. Kept in memory and written in one transaction
   * with others: before the next step begins, the run waits or ends, or its steps are read. Lost if the process is
   * killed.
   */
  note(name: string, note: Json): Promise<void>
  done(step: StoredStep, result: Json): Promise<void>
  failed(step: StoredStep, result: Json): Promise<void>
  /** Stores a question, which stays open until `answer` is called in any process. */
  ask(name: string, note: Json): Promise<StoredStep>
  /** Undefined if the question is not answered yet. */
  answerTo(question: StoredStep): Promise<Json | undefined>
  /** Renews a lease that may have expired by the clock, for example after the machine was suspended. */
  assertOurs(): Promise<void>
  /** Makes and records a call; a process that shuts down waits for it. */
  calling<T>(work: () => Promise<T>): Promise<T>
  /** Only waiting for a person: does not count against the concurrency limit meanwhile. */
  waiting<T>(work: () => Promise<T>, asks: RunAsks): Promise<T>
}

/** How the work on a run ended. */
export type RunOutcome =
  | { readonly kind: 'completed'; readonly output: Json }
  | { readonly kind: 'failed'; readonly problem: Json }
  /** Parked for so long, or until a question of the run is answered. */
  /** `isStuck`: only the owner's word resumes it, since process after process died over it. */
  | { readonly kind: 'parked'; readonly delayMs?: number; readonly isStuck?: true }
  /** Given back, since the kernel does not meet a need of the run. Only on a shared log. */
  | { readonly kind: 'unserved'; readonly need: string; readonly lacks: string }

export interface FlowRuntime extends AsyncDisposable {
  /** Starts to work on stored runs. Before that, runs are only stored, so that a new process answers requests first. */
  readonly begin: () => void
  /**
   * The run is on disk when this returns, unless its caller attends it to the end. If there is a run with that id,
   * it is returned and nothing is started.
   */
  readonly start: (run: RunStart) => Promise<StoredRun>
  readonly find: (id: string) => Promise<StoredRun | undefined>
  /** The newest first. */
  readonly list: (query: RunQuery) => Promise<readonly StoredRun[]>
  readonly countOpen: () => Promise<number>
  readonly steps: (id: string) => Promise<readonly StoredStep[]>
  /** How many steps are done, without reading their values. */
  readonly stepsDone: (id: string) => Promise<number>
  /** On disk when this returns. Work on the run in this process is aborted. `sums`: what its steps came to. */
  readonly cancel: (id: string, sums?: Json) => Promise<void>
  /** False if there is no such question, or it was answered before. */
  readonly answer: (id: string, question: string, answer: Json) => Promise<boolean>
  /** Gives the reply to a question of a server to the kernel that holds the run. False if none does. */
  readonly reply: (id: string, reply: Reply) => Promise<boolean>
  /** Sends a message to the other kernels, if there are any. */
  readonly send: (message: KernelMessage) => Promise<void>
  /** Deletes a run that has ended, with its steps. */
  readonly forget: (id: string) => Promise<void>
  /** Resumes a failed run and retries its failed steps. False if the run had not failed. */
  readonly reopen: (id: string) => Promise<boolean>
}

export interface Reply {
  readonly question: string
  readonly choice: string
  readonly value?: Json
}

export interface RunStart {
  /** The idempotency key. */
  readonly id: string
  readonly input: Json
  /** The name by which runs of the same flow are searched and counted. */
  readonly flow: string
  /** The needs of the run (see `Need`). */
  readonly needs?: readonly string[]
  /** Started by a schedule: claimed after the runs that a person started. */
  readonly isScheduled?: boolean
  /** Its caller attends it to the end, so the start is only written, and soon on disk. */
  readonly isAttended?: boolean
}

export interface RunQuery {
  readonly limit: number
  readonly state?: StoredState | undefined
  readonly flow?: string | undefined
  /** Runs that started at this time or later, in milliseconds since 1970. */
  readonly since?: number | undefined
  /** The cursor of the last run of an earlier page. */
  readonly before?: string | undefined
}

/** The storage of runs: a file for one process, or a database for several. */
export type RunPlace =
  | { readonly kind: 'sqlite'; readonly path: string }
  | { readonly kind: 'postgres'; readonly target: PostgresTarget; readonly kernel: string }

/** Another process owns the run now, or the run was cancelled: this process must stop working on it. */
export class RunLost extends Error {
  override readonly name = 'RunLost'

  constructor() {
    super('The run is no longer ours')
  }
}
