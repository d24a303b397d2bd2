/** One run that this process holds: its lease, what may be written of it, and how it is lost. */
import type { Backend } from 'openworkflow/internal'
import type { Json } from '../../kernel/json.ts'
import type { Log } from '../../kernel/ports.ts'
import { type OwnedRun, RunLost, type RunOutcome, type StoredStep } from './flow-runtime.ts'
import { isNotOurs } from './run-errors.ts'
import { BEFORE_REOPENING, type RunTable } from './run-table.ts'
import { type OwRun, readJson, storedStep, storedSteps } from './stored-run.ts'

/** A process that says nothing for so long is taken for dead. */
export const LEASE_MS = 15_000
const RENEW_MS = LEASE_MS / 3
/** Nothing leaves when less than this is left: by then it must have left. */
const MARGIN_MS = 2000
/** A question stays until it is answered, or its run cancelled. */
const FOR_EVER_MS = 10 * 365 * 24 * 3600 * 1000
/** An answer wakes its run; should that ever be missed, somebody looks. */
const LOOK_MS = 60_000
/** Whatever the clock of the database says. */
const AT_ONCE = new Date(0)
const NO_RETRY = {
  initialInterval: '1s',
  backoffCoefficient: 1,
  maximumInterval: '1s',
  maximumAttempts: 1,
} as const

export interface Holding {
  /** Asked for its backend each time: after a loss it has another. */
  readonly table: Pick<RunTable, 'backend'>
  readonly run: OwRun
  readonly workerId: string
  readonly log: Log
  /** Another run could be worked on now. */
  readonly onRoom: () => void
}

export class HeldRun implements OwnedRun {
  readonly id: string
  readonly input: Json
  readonly #holding: Holding
  readonly #ours: { readonly workflowRunId: string; readonly workerId: string }
  readonly #lost = new AbortController()
  readonly #renewing: NodeJS.Timeout
  readonly #quiet = Promise.withResolvers<void>()
  #steps: readonly StoredStep[] = []
  #reopened: readonly string[] = []
  /** How many steps have begun: clocks are too coarse to tell which came first. */
  #begun = 0
  #held = clocks()
  #isEnding = false
  #calling = 0
  #aside = 0

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

  /** Somebody is waited for and nothing else, so it takes nobody's place. */
  get isAside(): boolean {
    return this.#aside > 0 && this.#aside >= this.#calling
  }

  /** Nothing more is to be done for it here. */
  get isOver(): boolean {
    return this.#isEnding || this.signal.aborted
  }

  async readSteps(): Promise<void> {
    const { table, run } = this.#holding
    const steps = await storedSteps(table.backend, run.id)
    this.#begun = steps.length
    const isBefore = ({ name }: StoredStep): boolean => name.startsWith(BEFORE_REOPENING)
    this.#steps = steps.filter((step) => !isBefore(step))
    this.#reopened = steps.filter(isBefore).map(({ name }) => name.slice(BEFORE_REOPENING.length))
  }

  async begin(name: string, note: Json): Promise<StoredStep> {
    return await this.#create(name, note, null)
  }

  async ask(name: string, note: Json): Promise<StoredStep> {
    const timeoutAt = new Date(Date.now() + FOR_EVER_MS).toISOString()
    const signal = `${this.id} ${name}`
    return await this.#create(name, note, { kind: 'signal-wait', signal, timeoutAt })
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
    if (passedSince(this.#held) > LEASE_MS - MARGIN_MS) this.lose()
    if (this.signal.aborted) throw new RunLost()
  }

  async calling<T>(work: () => Promise<T>): Promise<T> {
    this.#calling += 1
    try {
      return await work()
    } finally {
      this.#calling -= 1
      if (this.#isEnding && this.isAside) this.#quiet.resolve()
    }
  }

  async aside<T>(work: () => Promise<T>): Promise<T> {
    this.#aside += 1
    this.#holding.onRoom()
    try {
      return await work()
    } finally {
      this.#aside -= 1
    }
  }

  /** The last thing that is written about it for now. */
  async settle(outcome: RunOutcome): Promise<void> {
    const ours = this.#ours
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

  /** Somebody else has it, or nobody is to have it. */
  lose(): void {
    this.#lost.abort(new RunLost())
  }

  /** Steps that are under way may end, and nothing begins after them. Until only the owner is waited for. */
  finishSteps(): Promise<void> {
    this.#isEnding = true
    if (this.isAside) this.#quiet.resolve()
    return this.#quiet.promise
  }

  /** Gives it back where it is still ours, so that others need not wait for its lease to end. */
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
    if (this.#isEnding) throw new RunLost()
    const kind = context ? 'signal-wait' : 'function'
    this.#begun += 1
    const config = JSON.stringify({ number: this.#begun, note })
    const step = { ...this.#ours, stepName, kind, config, context } as const
    return storedStep(await this.#write((backend) => backend.createStepAttempt(step)))
  }

  async #renew(): Promise<void> {
    const asked = clocks()
    const lease = { ...this.#ours, leaseDurationMs: LEASE_MS }
    await this.#write((backend) => backend.extendWorkflowRunLease(lease))
    this.#held = asked
  }

  /** What fails because the run is another's says so; what the database says itself is passed on. */
  async #write<T>(work: (backend: Backend) => Promise<T>): Promise<T> {
    if (this.signal.aborted) throw new RunLost()
    try {
      return await work(this.#holding.table.backend)
    } catch (error) {
      if (!isNotOurs(error)) throw error
      this.lose()
      throw new RunLost()
    }
  }
}

/** One goes on while the machine sleeps, the other while somebody sets the time back. */
function clocks(): { readonly wall: number; readonly steady: number } {
  return { wall: Date.now(), steady: performance.now() }
}

function passedSince({ wall, steady }: ReturnType<typeof clocks>): number {
  return Math.max(Date.now() - wall, performance.now() - steady)
}
