/**
 * Acts on the life of one server: starts it, watches it, starts it again when it dies, stops it when nobody uses it.
 * It holds at most one session. Whether a call is allowed is decided elsewhere.
 */
import { CordonError } from '../../kernel/error.ts'
import type { Label } from '../../kernel/label.ts'
import type { Redactor } from '../../kernel/ports.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { Changes } from '../../text/changes.ts'
import { lastWords, ServerFailure } from '../session/failure.ts'
import { createLogRing, type LogRing } from '../session/log-ring.ts'
import { openSession, type Session, type SessionRooms } from '../session/open-session.ts'
import { labelOf } from '../tools/output-labels.ts'
import { launchHashOf } from './launch-hash.ts'
import { createLifeRecords, type LifeRecords, type RecordRooms } from './life-records.ts'
import { isAtRest, type Life, type LifeEvent, nextLife, reasonOf } from './next-life.ts'
import { ServerTools, type ToolRooms } from './server-tools.ts'
import type { Evictable, Slots } from './slots.ts'
import type { Timings } from './timings.ts'
import { Usage } from './usage.ts'

const LAST_LINES = 5

export interface LifeRooms extends SessionRooms, ToolRooms, RecordRooms {
  readonly audit: RecordRooms['audit']
  readonly redactor: Redactor
  readonly slots: Slots
  readonly timings: Timings
  readonly now: () => number
  notify(message: string): void
}

export class ServerLife implements Evictable, AsyncDisposable {
  readonly id: ServerId
  readonly ring: LogRing
  readonly tools: ServerTools
  readonly usage: Usage
  readonly #rooms: LifeRooms
  readonly #records: LifeRecords
  #definition: ServerDefinition
  #label: Label
  #isEager = false
  #life: Life
  #session: Session | undefined
  /** The session, its process and its slot, while it runs. */
  #owned: AsyncDisposableStack | undefined
  #starting: AbortController | undefined
  #refusal: CordonError | undefined
  #timers: NodeJS.Timeout[] = []
  readonly #changes = new Changes()
  #rested = Promise.withResolvers<void>()
  #isRenewing = false
  #startedAt: number | undefined

  constructor(rooms: LifeRooms, definition: ServerDefinition) {
    this.#rooms = rooms
    this.#definition = definition
    this.#label = labelOf(definition)
    this.#life = { kind: definition.enabled ? 'idle' : 'disabled' }
    this.id = definition.id
    this.usage = new Usage(rooms.now)
    this.#records = createLifeRecords(rooms, definition.id)
    this.ring = createLogRing(rooms.redactor, rooms.now)
    this.tools = new ServerTools(rooms, definition.id, this.ring)
  }

  get definition(): ServerDefinition {
    return this.#definition
  }
  /** Of everything it says. */
  get label(): Label {
    return this.#label
  }
  get life(): Life {
    return this.#life
  }
  get session(): Session | undefined {
    return this.#isRenewing ? undefined : this.#session
  }
  get startedAt(): number | undefined {
    return this.#startedAt
  }
  get lastUsed(): number {
    return this.usage.lastUsed
  }
  get isUnused(): boolean {
    return this.#life.kind === 'connected' && this.usage.calls === 0
  }

  /** By the owner's wish, also after it was given up. Throws where it does not start. */
  async start(signal: AbortSignal): Promise<void> {
    this.#step({ kind: 'start' })
    await this.#connected(signal)
  }

  /** Without waiting, and without an error: how it went is its state. From now on it is not stopped when idle. */
  startSoon(): void {
    this.#isEager = true
    this.#step({ kind: 'start' })
  }

  /** The running session, started where needed. Throws where there is none to be had. */
  async ready(signal: AbortSignal): Promise<Session> {
    this.#step({ kind: 'need' })
    return await this.#connected(signal)
  }

  async stop(): Promise<void> {
    this.#step({ kind: 'stop' })
    await this.#atRest()
  }

  /** Starts it again with new credentials: calls that it works on are finished first, later ones wait for the new session. */
  async renew(): Promise<void> {
    if (this.#life.kind !== 'connected' || this.#isRenewing) return
    this.#isRenewing = true
    await this.usage.rest()
    this.#isRenewing = false
    if (this.#life.kind !== 'connected') return // whatever became of it meanwhile, it does not hold the old ones
    this.#step({ kind: 'stop' })
    this.#step({ kind: 'start' })
  }

  /** Takes a changed definition over. Only a change of how it is launched ends what runs. */
  async redefine(definition: ServerDefinition): Promise<void> {
    const sameLaunch = launchHashOf(definition) === launchHashOf(this.#definition)
    const wasRunning = !isAtRest(this.#life)
    if (!sameLaunch && wasRunning) await this.stop()
    this.#definition = definition
    this.#label = labelOf(definition)
    this.#step({ kind: definition.enabled ? 'enable' : 'disable' })
    if (!sameLaunch && wasRunning && definition.enabled) this.#step({ kind: 'start' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#step({ kind: 'disable' })
    await this.#atRest()
  }

  #step(event: LifeEvent): void {
    const before = this.#life
    this.#life = nextLife(before, event)
    if (this.#life === before) return
    const hasStopped = before.kind === 'stopping' && this.#life.kind !== 'stopping'
    if (hasStopped || isAtRest(this.#life)) {
      this.#rested.resolve()
      this.#rested = Promise.withResolvers<void>()
    }
    if (this.#life.kind !== before.kind) this.#enter(this.#life)
    this.#changes.announce()
  }

  #enter(life: Life): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers = []
    if (life.kind === 'starting') void this.#begin()
    if (life.kind === 'connected') this.#watchOver()
    if (life.kind === 'stopping') void this.#end()
    if (life.kind === 'failed') {
      this.#rooms.notify(`${this.#definition.name} failed to restart: it ${life.reason}`)
      void this.#records.givenUp(life.reason)
    }
    if (life.kind === 'backoff') {
      const delay = this.#rooms.timings.restartDelaysMs[life.restarts - 1] ?? 0
      this.#timers.push(setTimeout(() => this.#step({ kind: 'retry' }), delay))
    }
  }

  async #begin(): Promise<void> {
    this.#starting = new AbortController()
    this.#refusal = undefined
    const event = await this.#open(this.#starting.signal).catch((error: unknown) => {
      return this.#eventFor(error)
    })
    this.#starting = undefined
    this.#step(event)
  }

  /** All or nothing: when this throws, the process is gone again. */
  async #open(signal: AbortSignal): Promise<LifeEvent> {
    await using stack = new AsyncDisposableStack()
    const definition = this.#definition
    const launchHash = launchHashOf(definition)
    stack.use(await this.#rooms.slots.take(this))
    this.#records.started(definition.transport)
    const options = { definition, ring: this.ring, prior: this.tools.priorFor(launchHash) }
    const session = stack.use(await openSession(this.#rooms, options, signal))
    await this.tools.take(session.tools, session, launchHash)
    signal.throwIfAborted()
    this.#owned = stack.move()
    this.#session = session
    this.#startedAt = this.#rooms.now()
    this.usage.touch()
    void session.ended.then((reason) => this.#lose(session, reason))
    session.onToolsChanged(this.#relister(session, launchHash))
    return { kind: 'handshake' }
  }

  #eventFor(error: unknown): LifeEvent {
    if (error instanceof CordonError) {
      this.#refusal = error
      this.#rooms.log.warn(error.message, { server: this.id, cause: error.cause })
      return { kind: 'refused', reason: error.message }
    }
    if (error instanceof ServerFailure) {
      this.#records.crashed(error.message)
      return { kind: 'ended', reason: error.message }
    }
    if (this.#starting?.signal.aborted) this.#records.stopped()
    else this.#rooms.log.error('A server could not be started because of a bug', { error })
    return { kind: 'ended', reason: 'could not be started' }
  }

  #watchOver(): void {
    const { stableMs, healthMs } = this.#rooms.timings
    this.#timers.push(
      setTimeout(() => this.#step({ kind: 'stable' }), stableMs).unref(),
      setInterval(() => void this.#lookAfter(), healthMs).unref(),
    )
  }

  async #lookAfter(): Promise<void> {
    const session = this.#session
    // A server that works on a call may be too busy to answer; the call has a deadline of its own.
    if (!session || this.usage.calls > 0) return
    const unusedMs = this.#rooms.now() - this.usage.lastUsed
    const isIdle = !this.#isEager && unusedMs >= this.#rooms.timings.idleMs
    if (isIdle) return this.#step({ kind: 'stop' })
    await session.checkHealth().catch(() => this.#lose(session, 'does not answer any more'))
  }

  /** The session ended by itself, or is as good as ended. */
  async #lose(session: Session, reason: string): Promise<void> {
    if (this.#session !== session) return
    await this.#release()
    const whole = reason + lastWords(this.ring.last(LAST_LINES))
    this.#records.crashed(whole)
    this.#step({ kind: 'ended', reason: whole })
  }

  async #end(): Promise<void> {
    if (this.#starting) return this.#starting.abort() // the start ends itself, and says so
    if (!this.#session) return // it is being lost, which ends in the same step
    await this.#release()
    this.#records.stopped()
    this.#step({ kind: 'ended', reason: 'was stopped' })
  }

  async #release(): Promise<void> {
    const owned = this.#owned
    this.#owned = undefined
    this.#session = undefined
    this.#startedAt = undefined
    await owned?.disposeAsync().catch((error: unknown) => {
      this.#rooms.log.error('A server did not end in order', { server: this.id, error })
    })
  }

  #relister(session: Session, launchHash: string): () => void {
    let planned = false
    return () => {
      if (planned) return
      planned = true
      setTimeout(() => {
        planned = false
        void this.#relist(session, launchHash)
      }, this.#rooms.timings.relistMs).unref()
    }
  }

  async #relist(session: Session, launchHash: string): Promise<void> {
    if (this.#session !== session) return
    const tools = await session.listTools().catch(() => undefined)
    // What it offers now is not known any more, so nothing of it can be called.
    if (!tools) return await this.#lose(session, 'announced other tools and did not list them')
    await this.tools.take(tools, session, launchHash).catch((error: unknown) => {
      this.#rooms.log.error('Changed tools are not written down', { server: this.id, error })
    })
  }

  async #connected(signal: AbortSignal): Promise<Session> {
    // A restart that is already due is waited for; one that becomes due meanwhile is a failure to tell.
    for (let tried = false; ; ) {
      const life = this.#life
      if (life.kind === 'connected' && this.session) return this.session
      if (life.kind === 'unavailable' && this.#refusal) throw this.#refusal
      const diedAgain = tried && life.kind === 'backoff'
      if (diedAgain || isAtRest(life)) throw new ServerFailure(reasonOf(life))
      if (life.kind === 'starting') tried = true
      await this.#changes.next(signal)
      signal.throwIfAborted()
    }
  }

  /** Once is enough: a call that needs it has it started again at once. */
  async #atRest(): Promise<void> {
    if (!isAtRest(this.#life)) await this.#rested.promise
  }
}
