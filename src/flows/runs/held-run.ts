/** A run that this process holds: renews the lease, writes steps and outcome, and stops when the lease is lost. */
import type { Backend } from 'openworkflow/internal'
import type { Json } from '../../text/json.ts'
import type { Log } from '../../kernel/ports.ts'
import { type OwnedRun, RunLost, type RunOutcome, type StoredStep } from './flow-runtime.ts'
import { isNotOurs } from './run-errors.ts'
import {
  BEFORE_REOPENING,
  type Losses,
  type NotedStep,
  type Owner,
  type RunTable,
} from './run-table.ts'
import { type OwRun, readJson, storedStep, storedSteps } from './stored-run.ts'

/** A process that does not renew its lease for this long counts as dead. */
export const LEASE_MS = 15_000
const RENEW_MS = LEASE_MS / 3
/** No call is made when less than this is left of the lease. */
const MARGIN_MS = 2000
/** A question stays open until it is answered, or its run is cancelled. */
const FOR_EVER_MS = 10 * 365 * 24 * 3600 * 1000
/**
 * An answer wakes its run; in case that is missed, a run that waits for an answer is looked at again after this time.
 */
const LOOK_MS = 60_000
/** In the past, even by a database clock that is slow. */
const AT_ONCE = new Date(0)
/** At most this many notes are kept in memory before they are written. */
const MOST_NOTES = 100
const NO_RETRY = {
  initialInterval: '1s',
  backoffCoefficient: 1,
  maximumInterval: '1s',
  maximumAttempts: 1,
} as const

export interface Holding {
  /** The backend is read from the table for each write: a lost connection replaces it. */
  readonly table: Pick<RunTable, 'backend' | 'addSteps' | 'sync'>
  readonly run: OwRun
  readonly workerId: string
  readonly log: Log
  /** Called when the run no longer counts against the concurrency limit. */
  readonly onRoom: () => void
}

export class HeldRun implements OwnedRun {
  readonly id: string
  readonly input: Json
  readonly #holding: Holding
  readonly #ours: Owner
  readonly #lost = new AbortController()
  readonly #renewing: NodeJS.Timeout
  readonly #quiet = Promise.withResolvers<void>()
  #steps: readonly StoredStep[] = []
  #reopened: readonly string[] = []
  /** Numbers the steps, since clocks are too coarse to tell which step came first. */
  #lastNumber = 0
  readonly #notes: NotedStep[] = []
  #noting: Promise<void> = Promise.resolve()
  #renewedAt = clocks()
  #isEnding = false
  #calling = 0
  #waiting = 0

  constructor(holding: Holding) {
    const { run, workerId, log } = holding
    this.id = run.idempotencyKey ?? run.id
    this.input = readJson(run.input)
    this.#holding = holding
    this.#ours = { workflowRunId: run.id, workerId }
    this.#renewing = setInterval(() => {
      this.#renew().catch((error: unknown) => {
        if (!(error instanceof RunLost)) log.warn('Cannot keep hold of a run', { error })
      })
    }, RENEW_MS)
    this.#renewing.unref()
  }

  get steps(): readonly StoredStep[] {
    return this.#steps
  }

  get reopened(): readonly string[] {
    return this.#reopened
  }

  get signal(): AbortSignal {
    return this.#lost.signal
  }

  /** How often in a row a process died while it worked on this run, with nothing new on record. */
  get timesLost(): number {
    return (this.#holding.run.context as Losses | null)?.lost ?? 0
  }

  /** Only waiting for a person; does not count against the concurrency limit. */
  get isWaiting(): boolean {
    return this.#waiting > 0 && this.#waiting >= this.#calling
  }

  /** Whether the process is shutting down or the run is lost. */
  get isOver(): boolean {
    return this.#isEnding || this.signal.aborted
  }

  async readSteps(): Promise<void> {
    const { table, run } = this.#holding
    // A run that is claimed for the first time has no step yet.
    const steps = run.attempts > 1 ? await storedSteps(table.backend, run.id) : []
    this.#lastNumber = steps.at(-1)?.number ?? 0
    const isBefore = ({ name }: StoredStep): boolean => name.startsWith(BEFORE_REOPENING)
    this.#steps = steps.filter((step) => !isBefore(step))
    this.#reopened = steps.filter(isBefore).map(({ name }) => name.slice(BEFORE_REOPENING.length))
  }

  async begin(name: string, note: Json, mayBeRepeated = false): Promise<StoredStep> {
    const step = await this.#create(name, note, null)
    if (!mayBeRepeated) await this.#holding.table.sync()
    return step
  }

  async note(stepName: string, note: Json): Promise<void> {
    if (this.#isEnding) throw new RunLost()
    this.#notes.push({ stepName, config: this.#numbered(note) })
    if (this.#notes.length >= MOST_NOTES) await this.writeNotes()
  }

  /** Writes are serialised, so the notes on record are always the first ones, without a gap. */
  writeNotes(): Promise<void> {
    const write = async (): Promise<void> => {
      const notes = [...this.#notes]
      if (notes.length === 0) return
      const isOurs = await this.#write(() => this.#holding.table.addSteps(this.#ours, notes))
      if (!isOurs) this.#throwLost()
      this.#notes.splice(0, notes.length)
    }
    this.#noting = this.#noting.then(write, write)
    return this.#noting
  }

  async ask(name: string, note: Json): Promise<StoredStep> {
    const timeoutAt = new Date(Date.now() + FOR_EVER_MS).toISOString()
    const signal = `${this.id} ${name}`
    const question = await this.#create(name, note, { kind: 'signal-wait', signal, timeoutAt })
    await this.#holding.table.sync()
    return question
  }

  async done({ id: stepAttemptId }: StoredStep, result: Json): Promise<void> {
    const output = JSON.stringify(result)
    const step = { ...this.#ours, stepAttemptId, output }
    await this.#write((backend) => backend.completeStepAttempt(step))
  }

  async failed({ id: stepAttemptId }: StoredStep, result: Json): Promise<void> {
    const error = { message: JSON.stringify(result) }
    const step = { ...this.#ours, stepAttemptId, error }
    await this.#write((backend) => backend.failStepAttempt(step))
  }

  async answerTo({ id: stepAttemptId }: StoredStep): Promise<Json | undefined> {
    const answer = await this.#holding.table.backend.getSignalDelivery({ stepAttemptId })
    return answer === undefined ? undefined : readJson(answer)
  }

  assertOurs(): void {
    if (passedSince(this.#renewedAt) > LEASE_MS - MARGIN_MS) this.lose()
    if (this.signal.aborted) throw new RunLost()
  }

  async calling<T>(work: () => Promise<T>): Promise<T> {
    this.#calling += 1
    try {
      return await work()
    } finally {
      this.#calling -= 1
      if (this.#isEnding && this.isWaiting) this.#quiet.resolve()
    }
  }

  async waiting<T>(work: () => Promise<T>): Promise<T> {
    this.#waiting += 1
    this.#holding.onRoom()
    try {
      await this.writeNotes()
      return await work()
    } finally {
      this.#waiting -= 1
    }
  }

  /** Writes the outcome of the run: the last write of this process to it. */
  async settle(outcome: RunOutcome): Promise<void> {
    const ours = this.#ours
    await this.writeNotes()
    if (outcome.kind === 'completed') {
      const output = JSON.stringify(outcome.output)
      await this.#write((backend) => backend.completeWorkflowRun({ ...ours, output }))
    } else if (outcome.kind === 'failed') {
      const error = { message: JSON.stringify(outcome.problem) }
      const end = { ...ours, error, retryPolicy: NO_RETRY, attempts: 1, deadlineAt: null }
      await this.#write((backend) => backend.failWorkflowRun(end))
    } else {
      const availableAt = outcome.until ?? new Date(Date.now() + LOOK_MS)
      await this.#write((backend) => backend.sleepWorkflowRun({ ...ours, availableAt }))
    }
  }

  /** Aborts all work on the run: another process holds it, or it was cancelled. */
  lose(): void {
    this.#lost.abort(new RunLost())
  }

  /** Lets steps that are under way end, and starts no other. Resolves when the run only waits for a person. */
  finishSteps(): Promise<void> {
    this.#isEnding = true
    if (this.isWaiting) this.#quiet.resolve()
    return this.#quiet.promise
  }

  /** Gives the run back if it is still ours, so that no process has to wait for its lease to expire. */
  async release(): Promise<void> {
    clearInterval(this.#renewing)
    if (!this.#isEnding || this.signal.aborted) return
    await this.settle({ kind: 'parked', until: AT_ONCE }).catch(() => undefined)
  }

  async #create(
    stepName: string,
    note: Json,
    context: Parameters<Backend['createStepAttempt']>[0]['context'],
  ): Promise<StoredStep> {
    await this.writeNotes()
    if (this.#isEnding) throw new RunLost()
    const kind = context ? 'signal-wait' : 'function'
    const config = this.#numbered(note)
    const step = { ...this.#ours, stepName, kind, config, context } as const
    return storedStep(await this.#write((backend) => backend.createStepAttempt(step)))
  }

  #numbered(note: Json): string {
    this.#lastNumber += 1
    return JSON.stringify({ number: this.#lastNumber, note })
  }

  async #renew(): Promise<void> {
    const asked = clocks()
    const lease = { ...this.#ours, leaseDurationMs: LEASE_MS }
    await this.#write((backend) => backend.extendWorkflowRunLease(lease))
    this.#renewedAt = asked
  }

  /** Throws `RunLost` if this process no longer owns the row; errors of the database are passed on. */
  async #write<T>(work: (backend: Backend) => Promise<T>): Promise<T> {
    if (this.signal.aborted) throw new RunLost()
    try {
      return await work(this.#holding.table.backend)
    } catch (error) {
      if (!isNotOurs(error)) throw error
      return this.#throwLost()
    }
  }

  #throwLost(): never {
    this.lose()
    throw new RunLost()
  }
}

/** The wall clock runs on while the machine is suspended; the monotonic clock cannot be set back. */
function clocks(): { readonly wall: number; readonly steady: number } {
  return { wall: Date.now(), steady: performance.now() }
}

function passedSince({ wall, steady }: ReturnType<typeof clocks>): number {
  return Math.max(Date.now() - wall, performance.now() - steady)
}
