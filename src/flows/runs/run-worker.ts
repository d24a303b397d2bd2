/**
 * Works on stored runs: claims runs that no process holds, up to a concurrency limit, and hands each to the engine. On a
 * shared log a claim is a lease that is renewed while the process lives; when the process dies, the lease expires and
 * another process claims the run.
 */
import { CordonError } from '../../kernel/error.ts'
import type { Log } from '../../kernel/ports.ts'
import type { FlowSettings } from '../flow-settings.ts'
import type { KernelMessage } from './kernel-messages.ts'
import type { OwnedRun, Reply, RunOutcome } from './flow-runtime.ts'
import { HeldRun, LEASE_MS } from './held-run.ts'
import type { RunLog, Unwanted } from './run-log.ts'
import { heedLosses } from './heed-losses.ts'
import { UNMET_MS } from './settled-as.ts'

export interface Work {
  /** A database error that is thrown leaves the run unchanged, for another try. */
  readonly execute: (run: OwnedRun) => Promise<RunOutcome>
  /** Called when the outcome is on disk. */
  readonly settled: (
    run: { readonly id: string; readonly flow: string },
    outcome: RunOutcome,
  ) => void
  /** Called with the owner's reply to a server's question, which another kernel received. */
  readonly replied?: (id: string, reply: Reply) => void
  /** Called with each message of another kernel. */
  readonly heard?: (message: KernelMessage) => void
  readonly log: Log
  readonly settings: FlowSettings
}

/** The polling interval for runs that are due, or whose process died. */
const POLL_MS = 1000
/** After a database error a run is not retried before this. */
const RETRY_MS = 15_000
/** At shutdown, calls that are under way get this long to end. */
const ENDING_MS = 3000

const BUG = {
  code: 'flows.bug',
  message: 'Cannot go on with the run: this is a bug of Cordon',
  hint: 'Please report it with what the log says; then try `cordon flow resume RUN --retry`',
}

export class RunWorker {
  readonly #runLog: RunLog
  readonly #work: Work
  readonly #working = new Map<HeldRun, Promise<void>>()
  /** Runs that could not be given back, for example because the disk is full. */
  readonly #givenUp = new Set<HeldRun>()
  /** The needs that this kernel did not meet when it looked last, and when it looks again. */
  readonly #unmet = new Map<string, number>()
  #complaint = ''
  #polling: NodeJS.Timeout | undefined
  #looking: Promise<void> | undefined
  #isAgain = false
  #isEnding = false

  constructor(runLog: RunLog, work: Work) {
    this.#runLog = runLog
    this.#work = work
  }

  /** Starts to claim runs; before that, none is claimed. */
  begin(): void {
    this.#polling = setInterval(() => {
      void this.#giveBack()
      void this.takeReplies()
      void this.look()
    }, POLL_MS)
    this.#polling.unref()
    void this.look()
  }

  /** Claims runs while there are any and the concurrency limit allows. Resolves when that is done; never rejects. */
  async look(): Promise<void> {
    if (this.#polling === undefined || this.#isEnding) return
    this.#isAgain = true
    this.#looking ??= this.#claimAll()
      .catch((error: unknown) => this.#complain(this.#runLog.explain(error)))
      .finally(() => {
        this.#looking = undefined
      })
    await this.#looking
  }

  /** Once for each reason: it looks every second. */
  #complain(error: unknown): void {
    const said = String(error)
    if (said !== this.#complaint) this.#work.log.error('Cannot look for runs', { error })
    this.#complaint = said
  }

  /** Aborts all work on a run that was cancelled. */
  drop(id: string): void {
    for (const run of this.#working.keys()) if (run.id === id) run.lose()
  }

  /** Only a run that waits for a person can get a reply. Tried again at each poll. */
  async takeReplies(): Promise<void> {
    if (!this.#runLog.isShared) return
    for (const run of [...this.#working.keys()].filter(({ isWaiting }) => isWaiting)) {
      const reply = await run.takeReply().catch(() => undefined)
      if (reply !== undefined) this.#passOn(run, reply)
    }
  }

  /** Another kernel, perhaps another version of Cordon, has stored the reply: one that does not fit is none. */
  #passOn(run: HeldRun, reply: string): void {
    try {
      this.#work.replied?.(run.id, JSON.parse(reply) as Reply)
    } catch (error) {
      this.#work.log.warn('A reply cannot be taken', { run: run.id, error })
    }
  }

  /** Writes the steps of the run that are still in memory. */
  async writeNotes(id: string): Promise<void> {
    const ours = [...this.#working.keys()].filter((run) => run.id === id)
    await Promise.allSettled(ours.map((run) => run.writeNotes()))
  }

  /** Lets steps under way end. A run that waits for its owner is left: its question stays for the next process. */
  async end(): Promise<void> {
    this.#isEnding = true
    clearInterval(this.#polling)
    await this.#looking
    const ends = [...this.#working].map(([run, work]) => Promise.race([work, run.finishSteps()]))
    await Promise.race([Promise.all(ends), delay(ENDING_MS)])
    for (const run of this.#working.keys()) if (!run.isWaiting) run.lose()
  }

  async #claimAll(): Promise<void> {
    const { log } = this.#work
    while (this.#isAgain && !this.#isEnding) {
      this.#isAgain = false
      while (this.#hasRoom()) {
        const runLog = this.#runLog
        const run = await runLog.claim(LEASE_MS, this.#unwanted())
        this.#complaint = ''
        if (!run) break
        const held = new HeldRun({ runLog, run, log, onRoom: () => void this.look() })
        this.#working.set(held, this.#workOn(held))
      }
    }
  }

  #hasRoom(): boolean {
    return !this.#isEnding && this.#busy().length < this.#work.settings.runsAtOnce
  }

  #busy(): readonly HeldRun[] {
    return [...this.#working.keys()].filter(({ isWaiting }) => !isWaiting)
  }

  #unwanted(): Unwanted {
    const { runsPerFlow, scheduledAtOnce } = this.#work.settings
    const busy = this.#busy()
    const flows = [...Map.groupBy(busy, ({ flow }) => flow)]
    return {
      needs: this.#unmetNow(),
      isScheduled: busy.filter(({ isScheduled }) => isScheduled).length >= scheduledAtOnce,
      flows: flows.flatMap(([flow, runs]) => (runs.length >= runsPerFlow ? [flow] : [])),
    }
  }

  #unmetNow(): readonly string[] {
    const now = performance.now()
    for (const [need, until] of this.#unmet) if (until <= now) this.#unmet.delete(need)
    return [...this.#unmet.keys()]
  }

  async #workOn(run: HeldRun): Promise<void> {
    try {
      await this.#end(run, await this.#execute(run))
    } catch (error) {
      if (!run.isOver) await this.#giveUp(run, error)
    } finally {
      await run.release()
      this.#working.delete(run)
      void this.look()
    }
  }

  async #execute(run: HeldRun): Promise<RunOutcome> {
    await run.readSteps()
    return (await heedLosses(run)) ?? (await this.#work.execute(run))
  }

  async #end(run: HeldRun, outcome: RunOutcome): Promise<void> {
    const isUnmet = outcome.kind === 'unserved' && run.needs.includes(outcome.need)
    if (isUnmet) this.#unmet.set(outcome.need, performance.now() + UNMET_MS)
    await run.settle(outcome)
    this.#work.settled(run, outcome)
  }

  /** Tried again at each poll: without it, a run of this process would stay held until the next start. */
  async #giveBack(): Promise<void> {
    for (const run of this.#givenUp) {
      const isBack = await run.giveBack(RETRY_MS).then(
        () => true,
        () => false,
      )
      if (isBack) this.#givenUp.delete(run)
    }
  }

  /** After a database error the run is given back and retried; after a bug it fails, as a retry would too. */
  async #giveUp(run: HeldRun, error: unknown): Promise<void> {
    const explained = this.#runLog.explain(error)
    this.#work.log.error('Cannot go on with a run', { run: run.id, error: explained })
    if (explained instanceof CordonError) {
      this.#givenUp.add(run)
      return
    }
    try {
      await this.#end(run, { kind: 'failed', problem: { ...BUG } })
    } catch (cause) {
      this.#work.log.error('Cannot end a run', { run: run.id, error: cause })
    }
  }
}

function delay(ms: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, ms).unref()
  })
}
