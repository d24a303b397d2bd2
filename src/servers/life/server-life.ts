/**
 * Acts on the life of one server: starts it, checks its health, restarts it when it dies, stops it when it is idle.
 * Holds at most one session. Never decides whether a call is allowed.
 */
import { CordonError } from '../../kernel/error.ts'
import type { Label } from '../../labels/label.ts'
import type { Redactor } from '../../kernel/ports.ts'
import type { ServerDefinition } from '../../kernel/server-definition.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { nameIn } from '../session/name-in.ts'
import { Changes } from '../../text/changes.ts'
import { LAST_WORDS, ServerFailure, withLastWords } from '../session/failure.ts'
import { createLogRing, type LogRing } from '../session/log-ring.ts'
import { callMsOf, openSession, type Session, type SessionDeps } from '../session/open-session.ts'
import { labelOf } from '../tools/output-labels.ts'
import { launchHashOf } from './launch-hash.ts'
import { createLifeRecords, type LifeRecords, type RecordDeps } from './life-records.ts'
import { LifeWatch } from './life-watch.ts'
import { MemoryWarning } from './memory-warning.ts'
import { isAtRest, type Life, type LifeEvent, nextLife, reasonOf, restartsOf } from './next-life.ts'
import { type Provide, provideDefinition } from './provide-definition.ts'
import { type FeatureDeps, ServerFeatures } from './server-features.ts'
import { ServerTools, type ToolDeps } from './server-tools.ts'
import type { Evictable, Slots } from './slots.ts'
import type { Timings } from './timings.ts'
import { Usage } from './usage.ts'

export interface LifeDeps extends SessionDeps, ToolDeps, RecordDeps, FeatureDeps {
  readonly audit: RecordDeps['audit']
  readonly redactor: Redactor
  readonly slots: Slots
  readonly timings: Timings
  readonly now: () => number
  readonly provide?: Provide | undefined
}

/** With the process and the slot that end together with the session. */
interface Running {
  readonly session: Session
  readonly owned: AsyncDisposableStack
  readonly startedAt: number
}

export class ServerLife implements Evictable, AsyncDisposable {
  readonly id: ServerId
  readonly ring: LogRing
  readonly tools: ServerTools
  readonly features: ServerFeatures
  readonly usage: Usage
  readonly #deps: LifeDeps
  readonly #records: LifeRecords
  readonly #watch: LifeWatch
  readonly #memory: MemoryWarning
  #definition: ServerDefinition
  #label: Label
  #isEager = false
  #life: Life
  #running: Running | undefined
  #starting: AbortController | undefined
  #refusal: CordonError | undefined
  #installing: string | undefined
  readonly #changed = new Changes()
  readonly #rested = new Changes()

  constructor(deps: LifeDeps, definition: ServerDefinition) {
    this.#deps = deps
    this.#definition = definition
    this.#label = labelOf(definition)
    this.#life = { kind: definition.enabled ? 'idle' : 'disabled' }
    this.id = definition.id
    this.usage = new Usage(deps.now)
    this.#records = createLifeRecords(deps, definition.id)
    this.#watch = new LifeWatch(deps.timings, {
      step: (event) => this.#step(event),
      lookAfter: () => void this.#lookAfter(),
    })
    this.ring = createLogRing(deps.redactor, deps.now)
    this.#memory = new MemoryWarning(this.ring)
    this.tools = new ServerTools(deps, definition.id, this.ring)
    this.features = new ServerFeatures(deps, this)
  }

  get definition(): ServerDefinition {
    return this.#definition
  }
  /** The label of everything this server says. */
  get label(): Label {
    return this.#label
  }
  get life(): Life {
    return this.#life
  }
  /** The session that calls may use; none while the server waits to be started again. */
  get session(): Session | undefined {
    return this.#life.kind === 'renewing' ? undefined : this.#running?.session
  }
  /** The step of the install that the start waits for. */
  get installing(): string | undefined {
    return this.#installing
  }
  get startedAt(): number | undefined {
    return this.#running?.startedAt
  }
  get lastCalled(): number {
    return this.usage.lastCalled
  }
  /** It is about to start, and every place is taken. */
  get isWaiting(): boolean {
    return this.#deps.slots.isWaiting(this)
  }
  get isUnused(): boolean {
    return this.#life.kind === 'connected' && this.usage.calls === 0
  }

  /** On the owner's request, also after the server was given up. Throws if the server does not start. */
  async start(signal: AbortSignal): Promise<void> {
    this.#step({ kind: 'start' })
    await this.#connected(signal)
  }

  /** Does not wait and does not throw: a failure shows in the state. From now on the server is not stopped when idle. */
  startSoon(): void {
    this.#isEager = true
    if (this.#life.kind === 'idle') this.#step({ kind: 'start' }) // else its owner was faster
  }

  /** The running session; starts the server if needed, and throws if that fails. */
  async ready(signal: AbortSignal): Promise<Session> {
    this.#step({ kind: 'need' })
    return await this.#connected(signal)
  }

  async stop(): Promise<void> {
    this.#step({ kind: 'stop' })
    await this.#atRest()
  }

  /** Restarts the server with new credentials: calls under way finish first, later ones wait for the new session. */
  async renew(): Promise<void> {
    this.#step({ kind: 'renew' })
    while (this.#life.kind === 'renewing') await this.#changed.next()
  }

  /** Applies a changed definition. A running server is restarted only if its launch has changed. */
  async redefine(definition: ServerDefinition): Promise<void> {
    const sameLaunch = launchHashOf(definition) === launchHashOf(this.#definition)
    const wasRunning = !isAtRest(this.#life)
    if (!sameLaunch && wasRunning) await this.stop()
    this.#definition = definition
    this.#label = labelOf(definition)
    this.#running?.session.limitCalls(callMsOf(definition, this.#deps))
    this.#deps.notices.resolve('blocked', nameIn(this.id), definition.allowedDomains)
    this.#step({ kind: definition.enabled ? 'enable' : 'disable' })
    if (!sameLaunch && wasRunning && definition.enabled) this.#step({ kind: 'start' })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#step({ kind: 'disable' })
    await this.#atRest()
  }

  #step(event: LifeEvent): void {
    const before = this.#life
    this.#life = nextLife(before, event, restartsOf(this.#definition))
    if (this.#life === before) return
    const hasStopped = before.kind === 'stopping' && this.#life.kind !== 'stopping'
    if (hasStopped || isAtRest(this.#life)) this.#rested.announce()
    if (this.#life.kind !== before.kind) this.#enter(this.#life)
    this.#changed.announce()
  }

  #enter(life: Life): void {
    this.#watch.enter(life)
    if (life.kind === 'starting') void this.#begin()
    if (life.kind === 'connected') this.#deps.notices.resolve('given-up', nameIn(this.id))
    if (life.kind === 'renewing') void this.usage.rest().then(() => this.#step({ kind: 'rested' }))
    if (life.kind === 'stopping') void this.#end()
    if (life.kind !== 'failed') return
    this.#deps.notices.raise('given-up', nameIn(this.id), undefined, life.reason)
    void this.#records.givenUp(life.reason)
  }

  async #begin(): Promise<void> {
    this.#starting = new AbortController()
    this.#refusal = undefined
    const opening = this.#open(this.#starting.signal)
    const event = await opening.catch((error: unknown) => this.#eventFor(error))
    this.#starting = undefined
    this.#installing = undefined
    this.#step(event)
  }

  /** All or nothing: when this throws, the process is gone again. */
  async #open(signal: AbortSignal): Promise<LifeEvent> {
    await using stack = new AsyncDisposableStack()
    const definition = await this.#provide(signal)
    this.#definition = definition
    this.#label = labelOf(definition)
    const launchHash = launchHashOf(definition)
    stack.use(await this.#deps.slots.take(this, signal))
    this.#records.started(definition.transport)
    const options = { definition, ring: this.ring, prior: this.tools.priorFor(launchHash) }
    const session = stack.use(await openSession(this.#deps, options, signal))
    await this.tools.take(session.tools, session, launchHash)
    signal.throwIfAborted()
    this.#running = { session, owned: stack.move(), startedAt: this.#deps.now() }
    this.usage.touch()
    void session.ended.then((reason) => this.#lose(session, reason))
    this.features.follow(session, () => this.#relist(session, launchHash))
    return { kind: 'handshake' }
  }

  #provide(signal: AbortSignal): Promise<ServerDefinition> {
    const progress = (step: string): void => {
      this.#installing = step
      this.ring.add('cordon', step)
    }
    return provideDefinition(this.#deps.provide, () => this.#definition, progress, signal)
  }

  #eventFor(error: unknown): LifeEvent {
    if (error instanceof CordonError) {
      this.#refusal = error
      this.#deps.log.warn(error.message, { server: this.id, cause: error.cause })
      return { kind: 'refused', reason: error.message }
    }
    if (error instanceof ServerFailure) {
      this.#records.crashed(error.message)
      return { kind: 'ended', reason: error.message }
    }
    if (this.#starting?.signal.aborted) this.#records.stopped()
    else this.#deps.log.error('A server could not be started because of a bug', { error })
    return { kind: 'ended', reason: 'could not be started' }
  }

  async #lookAfter(): Promise<void> {
    const session = this.#running?.session
    // A server that works on a call may be too busy to answer; the call has a deadline of its own.
    if (!session || this.usage.calls > 0) return
    const usualMs = this.#isEager ? 0 : this.#deps.timings.idleMs
    const idleMs = this.features.idleMs(this.#definition.limits?.idleMs?.value ?? usualMs)
    if (this.usage.unusedMs >= idleMs) return this.#step({ kind: 'stop' })
    await session.checkHealth().catch(() => this.#lose(session, 'does not answer any more'))
    await this.#memory.look(session)
  }

  /** For a session that ended by itself, or that no longer answers. */
  async #lose(session: Session, reason: string): Promise<void> {
    if (this.#running?.session !== session) return
    await this.#release()
    const whole = withLastWords(reason, this.ring.last(LAST_WORDS))
    this.#records.crashed(whole)
    this.#step({ kind: 'ended', reason: whole })
  }

  async #end(): Promise<void> {
    if (this.#starting) return this.#starting.abort() // the aborted start takes the next step itself
    if (!this.#running) return // `#lose` is under way and takes the same step
    await this.#release()
    this.#records.stopped()
    this.#step({ kind: 'ended', reason: 'was stopped' })
  }

  async #release(): Promise<void> {
    const running = this.#running
    this.#running = undefined
    await running?.owned.disposeAsync().catch((error: unknown) => {
      this.#deps.log.error('A server did not end in order', { server: this.id, error })
    })
  }

  async #relist(session: Session, launchHash: string): Promise<void> {
    if (this.#running?.session !== session) return
    const tools = await session.listTools().catch(() => undefined)
    // The server's list of tools is out of date and cannot be read again, so no tool may be called.
    if (!tools) return await this.#lose(session, 'announced other tools and did not list them')
    await this.tools.take(tools, session, launchHash).catch((error: unknown) => {
      this.#deps.log.error('Changed tools are not written down', { server: this.id, error })
    })
  }

  async #connected(signal: AbortSignal): Promise<Session> {
    // A restart that is already scheduled is waited for; a crash during the wait is reported as a failure.
    for (let tried = false; ; ) {
      const life = this.#life
      if (life.kind === 'connected' && this.session) return this.session
      if (life.kind === 'unavailable' && this.#refusal) throw this.#refusal
      const diedAgain = tried && life.kind === 'backoff'
      if (diedAgain || isAtRest(life)) throw new ServerFailure(reasonOf(life))
      if (life.kind === 'starting') tried = true
      await this.#changed.next(signal)
      signal.throwIfAborted()
    }
  }

  /** Resolves once the server was at rest; a call that waits may have started it again by then. */
  async #atRest(): Promise<void> {
    if (!isAtRest(this.#life)) await this.#rested.next()
  }
}
