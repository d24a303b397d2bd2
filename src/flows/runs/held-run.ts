/** A run that this process holds: renews the lease, writes steps and outcome, and stops when the lease is lost. */
import { setTimeout as pause } from 'node:timers/promises'
import type { Json } from '../../text/json.ts'
import type { Log } from '../../kernel/ports.ts'
import {
  type OwnedRun,
  type RunAsks,
  RunLost,
  type RunOutcome,
  type StoredStep,
} from './flow-runtime.ts'
import type { Claim, ClaimedRun, NewStep, RunLog } from './run-log.ts'
import { leaseClock, passedSince } from './lease-clock.ts'
import { settledAs } from './settled-as.ts'
import { isUnreachable } from './run-errors.ts'
import { readJson } from './stored-run.ts'

/** A process that does not renew its lease for this long counts as dead. */
export const LEASE_MS = 15_000
export const RENEW_MS: number = LEASE_MS / 3
/** No call is made when less than this is left of the lease. */
const MARGIN_MS = 2000
/** The pause before a write is repeated: the first, and the longest. */
const AGAIN_MS = 100
const LATEST_AGAIN_MS = 1000
/** At most this many notes are kept in memory before they are written. */
const MOST_NOTES = 100

export interface Holding {
  readonly runLog: Pick<
    RunLog,
    | 'isShared'
    | 'steps'
    | 'renew'
    | 'add'
    | 'end'
    | 'answerTo'
    | 'settle'
    | 'sync'
    | 'explain'
    | 'shared'
  >
  readonly run: ClaimedRun
  readonly log: Log
  /** Called when the run no longer counts against the concurrency limit. */
  readonly onRoom: () => void
}

export class HeldRun implements OwnedRun {
  readonly id: string
  readonly input: Json
  readonly flow: string
  readonly isScheduled: boolean
  readonly isShared: boolean
  readonly needs: readonly string[]
  readonly #holding: Holding
  readonly #ours: Claim
  readonly #lost = new AbortController()
  readonly #renewing: NodeJS.Timeout | undefined
  readonly #quiet = Promise.withResolvers<void>()
  #steps: readonly StoredStep[] = []
  #reopened: readonly string[] = []
  /** Numbers the steps, since clocks are too coarse to tell which step came first. */
  #lastNumber = 0
  readonly #notes: NewStep[] = []
  #adding: Promise<void> = Promise.resolve()
  #renewedAt = leaseClock()
  #isEnding = false
  #calling = 0
  #waiting = 0

  constructor(holding: Holding) {
    const { run, runLog, log } = holding
    this.id = run.id
    this.input = readJson(run.input)
    this.flow = run.flow
    this.isScheduled = run.isScheduled
    this.isShared = runLog.isShared
    this.needs = run.needs
    this.#holding = holding
    this.#ours = run.claim
    if (!runLog.isShared) return
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
    return this.#holding.run.timesLost
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
    const { runLog, run } = this.#holding
    const steps = run.isNew ? [] : await runLog.steps(run.id)
    this.#lastNumber = steps.at(-1)?.number ?? 0
    this.#steps = steps.filter(({ isBefore }) => !isBefore)
    this.#reopened = steps.filter(({ isBefore }) => isBefore).map(({ name }) => name)
  }

  async begin(name: string, note: Json, mayBeRepeated = false): Promise<StoredStep> {
    const step = await this.#create(name, 'step', note)
    if (!mayBeRepeated) await this.#holding.runLog.sync()
    return step
  }

  async note(name: string, note: Json): Promise<void> {
    if (this.#isEnding) throw new RunLost()
    this.#notes.push(this.#numbered(name, 'step', note))
    if (this.#notes.length >= MOST_NOTES) await this.writeNotes()
  }

  writeNotes(): Promise<void> {
    return this.#add()
  }

  async ask(name: string, note: Json): Promise<StoredStep> {
    const question = await this.#create(name, 'question', note)
    await this.#holding.runLog.sync()
    return question
  }

  async done(step: StoredStep, result: Json): Promise<void> {
    await this.#end(step, 'done', JSON.stringify(result))
  }

  async failed(step: StoredStep, result: Json): Promise<void> {
    await this.#end(step, 'failed', JSON.stringify(result))
  }

  async #end({ number }: StoredStep, state: 'done' | 'failed', result: string): Promise<void> {
    await this.#write(({ end }) => end(this.#ours, number, state, result))
  }

  async answerTo({ number }: StoredStep): Promise<Json | undefined> {
    const answer = await this.#holding.runLog.answerTo(this.#ours, number)
    return answer === undefined ? undefined : readJson(answer)
  }

  async assertOurs(): Promise<void> {
    const isOld = (): boolean => passedSince(this.#renewedAt) > LEASE_MS - MARGIN_MS
    while (this.isShared && isOld()) await this.#untilAnswered(() => this.#renew())
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

  async waiting<T>(work: () => Promise<T>, asks: RunAsks): Promise<T> {
    this.#waiting += 1
    this.#holding.onRoom()
    try {
      await this.writeNotes()
      await this.#asks(JSON.stringify(asks))
      return await work()
    } finally {
      this.#waiting -= 1
      if (this.#waiting === 0) await this.#asks(null)
    }
  }

  /** The reply of the owner that another kernel received. */
  async takeReply(): Promise<string | undefined> {
    return await this.#holding.runLog.shared?.takeReply(this.#ours)
  }

  /** Writes the outcome of the run: the last write of this process to it. */
  async settle(outcome: RunOutcome): Promise<void> {
    await this.writeNotes()
    await this.#write(({ settle }) => settle(this.#ours, settledAs(outcome, this.needs)))
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
    await this.giveBack(0).catch(() => undefined)
  }

  /** Parks the run in any state of its steps; a new claim resumes the run after this time. */
  async giveBack(delayMs: number): Promise<void> {
    await this.#holding.runLog.settle(this.#ours, { state: 'open', delayMs })
  }

  /** For other kernels only, so a failure changes nothing here. */
  #asks = async (asks: string | null): Promise<void> =>
    await this.#holding.runLog.shared?.asks(this.#ours, asks).catch(() => undefined)

  async #create(name: string, kind: StoredStep['kind'], note: Json): Promise<StoredStep> {
    if (this.#isEnding) throw new RunLost()
    const step = this.#numbered(name, kind, note)
    await this.#add(step)
    const { number } = step
    return { number, name, kind, state: 'begun', isBefore: false, note, startedAt: new Date() }
  }

  /**
   * Writes the notes, and the step that begins, in one transaction. Writes are serialised, so the notes on record are
   * always the first ones, without a gap.
   */
  #add(begun?: NewStep): Promise<void> {
    if (begun && this.#notes.length === 0) {
      return this.#write(({ add }) => add(this.#ours, [], begun))
    }
    const write = async (): Promise<void> => {
      const notes = this.#notes.filter(({ number }) => number < (begun?.number ?? Infinity))
      if (notes.length === 0 && begun === undefined) return
      await this.#write(({ add }) => add(this.#ours, notes, begun))
      this.#notes.splice(0, notes.length)
    }
    this.#adding = this.#adding.then(write, write)
    return this.#adding
  }

  #numbered(name: string, kind: StoredStep['kind'], note: Json): NewStep {
    this.#lastNumber += 1
    return { number: this.#lastNumber, name, kind, note: JSON.stringify(note) }
  }

  async #renew(): Promise<void> {
    const asked = leaseClock()
    await this.#writeOnce(({ renew }) => renew(this.#ours, LEASE_MS))
    this.#renewedAt = asked
  }

  /** Throws `RunLost` if this process no longer holds the run. */
  async #write(work: (runLog: Holding['runLog']) => Promise<boolean>): Promise<void> {
    await this.#untilAnswered(() => this.#writeOnce(work))
  }

  async #writeOnce(work: (runLog: Holding['runLog']) => Promise<boolean>): Promise<void> {
    if (this.signal.aborted) throw new RunLost()
    if (await work(this.#holding.runLog)) return
    this.lose()
    throw new RunLost()
  }

  /**
   * Repeats a write while a shared database is away: what is to be written is known, and would be lost with this process
   * only. A repeated write changes nothing, and one for a claim that another process has taken meanwhile is refused.
   */
  async #untilAnswered(write: () => Promise<void>): Promise<void> {
    const { runLog } = this.#holding
    for (let pauseMs = AGAIN_MS; ; pauseMs = Math.min(2 * pauseMs, LATEST_AGAIN_MS)) {
      try {
        await write()
        return
      } catch (error) {
        if (!runLog.isShared || !isUnreachable(runLog.explain(error))) throw error
      }
      const later = pauseMs * (0.5 + Math.random()) // the writes of many runs, not all at once
      await pause(later, undefined, { signal: this.signal }).catch(() => undefined)
    }
  }
}
