/**
 * The log of runs: one row for each run and one for each step. A process claims a run before it works on it, and every
 * write names the claim: a process that has lost the run writes nothing, and is told so by `false`. Values are JSON
 * text, which the log never parses.
 */
import type { KernelMessage } from './kernel-messages.ts'
import type { RunQuery, StoredRun, StoredStep } from './flow-runtime.ts'

/** The right of one process to write to one run. */
export interface Claim {
  /** The number of the run's row. */
  readonly run: number
  /** Another one for each claim, so that an old claim of the same process is void too. */
  readonly holder: string
}

export interface ClaimedRun {
  readonly claim: Claim
  readonly id: string
  readonly flow: string
  readonly isScheduled: boolean
  readonly input: string
  readonly needs: readonly string[]
  /** No process has worked on it before, so it has no steps. */
  readonly isNew: boolean
  /** How many processes in a row died over it, with nothing new on record. */
  readonly timesLost: number
}

export interface NewRun {
  readonly id: string
  /** The name of the flow, by which runs can be searched and counted. */
  readonly flow: string
  /** A scheduled run is claimed after all others that are due. */
  readonly isScheduled: boolean
  readonly input: string
  /** The needs of the run. Only a shared log compares them. */
  readonly needs?: readonly string[]
}

export interface NewStep {
  /** The position in the order in which the steps of the run began. */
  readonly number: number
  readonly name: string
  readonly kind: StoredStep['kind']
  readonly note: string
}

export type SettledAs =
  | { readonly state: 'completed' | 'failed'; readonly outcome: string }
  /** Given back: claimed again after this time, or when a question is answered; without a time only then. */
  | {
      readonly state: 'open'
      readonly delayMs: number | undefined
      /** The need of the run that the kernel does not meet, for people. */
      readonly lacks?: string
    }

/** Runs that `claim` leaves alone, because their places are taken or this kernel cannot serve them. */
export interface Unwanted {
  readonly isScheduled: boolean
  readonly flows: readonly string[]
  /** Needs that this kernel does not meet. */
  readonly needs?: readonly string[]
}

/** The part of a log that several kernels share. */
export interface SharedLog {
  /** Notes the question of a held run as JSON, or null, so that every kernel can show it. */
  asks(claim: Claim, asks: string | null): Promise<void>
  /** Stores the reply to that question for the kernel that holds the run. False if none holds it. */
  reply(id: string, reply: string): Promise<boolean>
  /** Undefined if no reply has come. */
  takeReply(claim: Claim): Promise<string | undefined>
  send(message: KernelMessage): Promise<void>
  onMessage(hear: (message: KernelMessage) => void): void
}

export interface RunLog {
  readonly shared?: SharedLog
  /** Whether other processes use the log as well. Only then does a claim expire, and has to be renewed. */
  readonly isShared: boolean
  /** Writes a new run, unless there is one with that id. Brought to disk by `sync`. */
  create(run: NewRun): Promise<StoredRun>
  find(id: string): Promise<StoredRun | undefined>
  /** The newest first. */
  list(query: RunQuery): Promise<readonly StoredRun[]>
  countOpen(): Promise<number>
  steps(id: string): Promise<readonly StoredStep[]>
  stepsDone(id: string): Promise<number>
  /** Claims the next run that is due. On a shared log it first frees the runs of dead processes. */
  claim(leaseMs: number, unwanted: Unwanted): Promise<ClaimedRun | undefined>
  renew(claim: Claim, leaseMs: number): Promise<boolean>
  /** Writes all steps or none: `notes` are over already, `begun` is not. */
  add(claim: Claim, notes: readonly NewStep[], begun?: NewStep): Promise<boolean>
  end(claim: Claim, step: number, state: 'done' | 'failed', result: string): Promise<boolean>
  /** Undefined if the question is not answered yet. */
  answerTo(claim: Claim, question: number): Promise<string | undefined>
  settle(claim: Claim, as: SettledAs): Promise<boolean>
  /** A run that has ended keeps its end. On disk when this returns, as are `answer` and `reopen`. */
  cancel(id: string, sums?: string): Promise<void>
  /** False if the run has no such open question, or it was answered before. */
  answer(id: string, question: string, answer: string): Promise<boolean>
  /** Sets a failed run back to the steps that failed. False if the run had not failed. */
  reopen(id: string): Promise<boolean>
  /**
   * A few milliseconds of background work: moves runs of an older Cordon into the log, deletes runs that ended longer ago
   * than this, by the clock of the log, and makes the file smaller. False if nothing is left to do.
   */
  tidySome(keptMs: number): Promise<boolean>
  /** Deletes one run, if it has ended. */
  forget(id: string): Promise<void>
  /** Resolves once everything that was written before is on disk. */
  readonly sync: () => Promise<void>
  /** The same a little later, to share the sync of another caller. */
  readonly syncSoon: () => Promise<void>
  /** Converts a known error of the database to an error for people; any other error is returned unchanged. */
  explain(error: unknown): unknown
  close(): Promise<void>
}
