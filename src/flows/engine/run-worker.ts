/**
 * Works on stored runs: takes those that nobody works on, so many at a time, and hands each to the engine. What it takes
 * it holds by a lease that is renewed while it lives; a process that dies loses its runs to the next. The worker that
 * openworkflow brings is not used: it prints, it stops at a thousand steps, and where one of several calls has to wait it
 * drops the others while they are under way.
 */
import { randomUUID } from 'node:crypto'
import { CordonError } from '../../kernel/error.ts'
import type { Log } from '../../kernel/ports.ts'
import type { OwnedRun, RunOutcome } from './flow-runtime.ts'
import { HeldRun, LEASE_MS } from './held-run.ts'
import type { RunTable } from './run-table.ts'

export interface Work {
  /** What it throws for want of a database leaves the run as it is, for another try. */
  readonly execute: (run: OwnedRun) => Promise<RunOutcome>
  /** It is on disk what became of it. */
  readonly settled: (id: string, outcome: RunOutcome) => void
  readonly log: Log
}

const MOST_AT_ONCE = 8
/** How often it looks for runs whose time has come, or that another process left. */
const POLL_MS = 1000
/** Calls under way get so long to end when the process does. */
const ENDING_MS = 3000

const BUG = {
  code: 'flows.bug',
  message: 'Cannot go on with the run: this is a bug of Cordon',
  hint: 'Please report it with what the log says; then try `cordon flow resume RUN --retry`',
}

export class RunWorker {
  readonly #table: RunTable
  readonly #work: Work
  readonly #working = new Map<HeldRun, Promise<void>>()
  readonly #polling: NodeJS.Timeout
  #looking: Promise<void> | undefined
  #isAgain = false
  #isEnding = false

  constructor(table: RunTable, work: Work) {
    this.#table = table
    this.#work = work
    this.#polling = setInterval(() => this.look(), POLL_MS)
    this.#polling.unref()
    this.look()
  }

  /** There may be something to do. */
  look(): void {
    if (this.#isEnding) return
    this.#isAgain = true
    this.#looking ??= this.#claimAll()
      .catch((error: unknown) => {
        this.#work.log.error('Cannot look for runs', { error: this.#table.explain(error) })
      })
      .finally(() => {
        this.#looking = undefined
      })
  }

  /** Nobody is to work on it any more. */
  drop(id: string): void {
    for (const run of this.#working.keys()) if (run.id === id) run.lose()
  }

  /** Steps under way may end. Who waits for the owner waits for long: his question stays, and is found again. */
  async end(): Promise<void> {
    this.#isEnding = true
    clearInterval(this.#polling)
    await this.#looking
    const ends = [...this.#working].map(([run, work]) => Promise.race([work, run.finishSteps()]))
    await Promise.race([Promise.all(ends), delay(ENDING_MS)])
    for (const run of this.#working.keys()) if (!run.isAside) run.lose()
  }

  async #claimAll(): Promise<void> {
    const { log } = this.#work
    while (this.#isAgain && !this.#isEnding) {
      this.#isAgain = false
      while (this.#hasRoom()) {
        const workerId = randomUUID()
        const table = this.#table
        const run = await table.backend.claimWorkflowRun({ workerId, leaseDurationMs: LEASE_MS })
        if (!run) break
        const held = new HeldRun({ table, run, workerId, log, onRoom: () => this.look() })
        this.#working.set(held, this.#workOn(held))
      }
    }
  }

  #hasRoom(): boolean {
    const busy = [...this.#working.keys()].filter(({ isAside }) => !isAside)
    return busy.length < MOST_AT_ONCE && !this.#isEnding
  }

  async #workOn(run: HeldRun): Promise<void> {
    try {
      await run.readSteps()
      const outcome = await this.#work.execute(run)
      await run.settle(outcome)
      this.#work.settled(run.id, outcome)
    } catch (error) {
      if (!run.isOver) await this.#giveUp(run, error)
    } finally {
      await run.release()
      this.#working.delete(run)
      this.look()
    }
  }

  /** Where the database is at fault, the lease runs out and the run is tried again; a bug would only come again. */
  async #giveUp(run: HeldRun, error: unknown): Promise<void> {
    const explained = this.#table.explain(error)
    this.#work.log.error('Cannot go on with a run', { run: run.id, error: explained })
    if (explained instanceof CordonError) return
    const outcome = { kind: 'failed', problem: { ...BUG } } as const
    try {
      await run.settle(outcome)
      this.#work.settled(run.id, outcome)
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
