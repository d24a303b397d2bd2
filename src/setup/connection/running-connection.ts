/**
 * Drives one connection: takes its events one at a time, stores the new state, then performs the effects. Work runs
 * concurrently, and its result is an event like any other. A credential passes through here and is never kept.
 */
import type { MessageRef } from '../../kernel/receive.ts'
import type { ConnectionView } from '../../ports/setup-port.ts'
import { haltServer, keepDefinition, undoDefinition } from '../server/connect-server.ts'
import {
  type Connection,
  type ConnectionEffect,
  type TimedEvent,
  type ConnectionWork,
  type ConnectionEvent,
  hasEnded,
  type WorkResult,
} from './connection.ts'
import { type ConnectionNotes, isImplied } from './connection-notes.ts'
import { recordState } from './record-state.ts'
import { fail } from './connection-steps.ts'
import { type ChatPlace, ConnectionTranscript } from './connection-transcript.ts'
import { NOT_DELETED } from './connection-messages.ts'
import { performWork, type WorkDeps, type WorkReporter } from './perform-work.ts'
import { reasonFor } from '../message/foreign-text.ts'
import { createSerialQueue } from '../../text/serial-queue.ts'
import { nextConnection } from './next-connection.ts'
import type { PlannedDeletion } from '../message/pending-deletions.ts'
import { type Prefetch, startPrefetch } from './prefetch.ts'
import { isOnTheWay, showConnection } from './show-connection.ts'
import { Changes } from '../../text/changes.ts'

const FOLLOW_MS = 25_000
const CLEAN_UP = { halt: haltServer, undo: undoDefinition, keep: keepDefinition } as const

export interface RunningDeps extends WorkDeps {
  readonly connectionNotes: ConnectionNotes
}

/** The answer to an event. If the event held a secret, its text must not be kept. */
interface Heard {
  readonly said: readonly string[]
  readonly wasSecret: boolean
}

type Kinds = readonly ConnectionEffect['kind'][]

/** `ended`: nothing is left to do. `closed`: left as it is in the notes, in any state, and takes no more events. */
type Stage = 'open' | 'ended' | 'closed'

export class RunningConnection implements AsyncDisposable {
  readonly #deps: RunningDeps
  readonly #transcript: ConnectionTranscript
  readonly #changes = new Changes()
  readonly #serially = createSerialQueue()
  /** All work so far, including aborted work whose result is ignored. */
  readonly #allWork: Promise<void>[] = []
  #prefetch: Prefetch | undefined
  #stage: Stage = 'open'
  /** Aborted when the stage is no longer `open`. */
  readonly #over = new AbortController()
  #connection: Connection
  #work = new AbortController()

  constructor(deps: RunningDeps, connection: Connection) {
    this.#deps = deps
    this.#transcript = new ConnectionTranscript(deps)
    this.#connection = connection
  }

  get connection(): Connection {
    return this.#connection
  }

  get view(): ConnectionView {
    return showConnection(this.#connection, this.#transcript.said, this.#changes.count)
  }

  /** Begins the connection, and returns the messages in answer. */
  async start(signal: AbortSignal): Promise<readonly string[]> {
    const heard = await this.hear({ kind: 'begin' }, signal)
    this.#watch()
    return heard?.said ?? []
  }

  /** Continues a connection that was found in the notes. */
  async resume(): Promise<void> {
    await this.dispatch({ kind: 'begin' })
    this.#watch()
  }

  /** Handles an event, and returns the kinds of its effects. */
  async dispatch(happening: ConnectionEvent, listener?: string[]): Promise<Kinds> {
    return await this.#serially(() =>
      this.#transcript.answer(listener, () => this.#take({ ...happening, at: this.#deps.now() })),
    )
  }

  /** Like `dispatch`, but returns the messages in answer; undefined if the event was not for this connection. */
  async hear(happening: ConnectionEvent, signal: AbortSignal): Promise<Heard | undefined> {
    const said: string[] = []
    const kinds = await this.#transcript.listen(said, async () => {
      const came = await this.dispatch(happening, said)
      if (!came.includes('pass')) await this.rest(signal)
      return came
    })
    if (kinds.includes('pass')) {
      this.#transcript.send(said, this.#chat) // messages of work that ran meanwhile
      return undefined
    }
    const wasSecret = kinds.includes('store') || kinds.includes('erase')
    return { said: said.length > 0 ? said : this.#transcript.said.slice(-1), wasSecret }
  }

  /** Resolves when the connection waits for a person, does longer work, or has ended. */
  async rest(signal: AbortSignal): Promise<void> {
    await this.#changes.until(
      () => this.#stage === 'closed' || !isOnTheWay(this.#connection),
      signal,
    )
  }

  async follow(after: number, signal: AbortSignal): Promise<ConnectionView> {
    const late = new AbortController()
    const over = AbortSignal.any([late.signal, signal])
    const giveUp = (): void => late.abort()
    this.#deps.sleep(FOLLOW_MS, over).then(giveUp, giveUp)
    const isChanged = (): boolean => this.#changes.count > after
    await this.#changes.until(() => this.#stage === 'closed' || isChanged(), over)
    late.abort()
    return this.view
  }

  /** Leaves the connection as it is in the notes, for the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave('closed')
    this.#work.abort()
    this.#changes.announce()
    await Promise.allSettled([...this.#allWork, this.#prefetch?.settled])
  }

  async #take(event: TimedEvent): Promise<Kinds> {
    // Treated as a secret: a message that may hold a credential must not reach other handlers.
    if (this.#stage === 'closed') return ['erase']
    const before = this.#connection
    const { connection, effects } = nextConnection(before, event)
    const deletion = await this.#planDeletion(effects)
    if (connection !== before) await this.#enter(connection)
    const isClean = await this.#performAll(effects, deletion)
    const isDone = hasEnded(connection) && (connection !== before || event.kind === 'begin')
    if (isDone) this.#leave('ended')
    if (isDone && isClean) await this.#deps.connectionNotes.remove(connection)
    // Last, so that a waiting reader sees the new state together with all that was said about it.
    if (connection !== before || effects.length > 0) this.#changes.announce()
    return effects.map(({ kind }) => kind)
  }

  /** Stored before any other effect, so that after a crash the next start still deletes the message. */
  async #planDeletion(effects: readonly ConnectionEffect[]): Promise<PlannedDeletion | undefined> {
    const store = effects.find((effect) => effect.kind === 'store')
    return store?.message && (await this.#deps.deletions.plan(store.message))
  }

  /** Audits the new state, and stores it unless a note implies it, before any of its effects. */
  async #enter(connection: Connection): Promise<void> {
    recordState(this.#deps.audit, this.#connection, connection)
    if (!isImplied(this.#connection, connection)) await this.#deps.connectionNotes.put(connection)
    if (connection.turn !== this.#connection.turn) this.#work.abort()
    this.#connection = connection
  }

  /** False if a clean-up failed. */
  async #performAll(
    effects: readonly ConnectionEffect[],
    deletion: PlannedDeletion | undefined,
  ): Promise<boolean> {
    let isClean = true
    for (const effect of effects) isClean = (await this.#perform(effect, deletion)) && isClean
    return isClean
  }

  /** `deletion`: of the message that holds the secret to store. */
  async #perform(
    effect: ConnectionEffect,
    deletion: PlannedDeletion | undefined,
  ): Promise<boolean> {
    switch (effect.kind) {
      case 'pass':
        return true
      case 'say':
        this.#transcript.say(effect.text, this.#chat)
        return true
      case 'erase':
        await this.#erase(effect.message)
        return true
      case 'prefetch':
        this.#prefetch = startPrefetch(
          this.#deps,
          this.#connection,
          (cause) => this.#lackPackage(cause),
          this.#over.signal,
        )
        return true
      case 'halt':
      case 'undo':
      case 'keep':
        return await this.#cleanUp(effect.kind)
      default:
        this.#work = new AbortController()
        this.#allWork.push(this.#run(effect, deletion, this.#work.signal))
        return true
    }
  }

  /** Reported at once, so that the person does not look for a token in vain. */
  #lackPackage(cause: unknown): void {
    const reason = reasonFor(cause, this.#deps.redactor)
    this.dispatch({ kind: 'no-package', reason }).catch((error: unknown) => this.#collapse(error))
  }

  async #erase(message: MessageRef | undefined): Promise<void> {
    const deletion = message && (await this.#deps.deletions.plan(message))
    if (deletion && !(await deletion.carryOut())) this.#transcript.say(NOT_DELETED, this.#chat)
  }

  /** Waits for aborted work first: a definition that it still writes has to be undone, too. */
  async #cleanUp(what: keyof typeof CLEAN_UP): Promise<boolean> {
    await Promise.allSettled(this.#allWork)
    try {
      await CLEAN_UP[what](this.#deps, this.#connection)
      return true
    } catch (error) {
      this.#deps.log.error('A connection did not clean up', {
        connection: this.#connection.id,
        error,
      })
      return false
    }
  }

  async #run(
    work: ConnectionWork,
    deletion: PlannedDeletion | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const connection = this.#connection
    const { turn } = connection
    const transcript: WorkReporter = {
      say: (text) => (signal.aborted ? undefined : this.#say(text)),
      prompt: (prompt) => this.#report({ kind: 'prompted', prompt }, turn),
    }
    const context = { transcript, signal, deletion, installed: this.#prefetch?.installed }
    this.#report(await performWork(this.#deps, connection, work, context), turn)
  }

  #report(result: WorkResult, turn: number): void {
    this.dispatch({ ...result, turn }).catch((error: unknown) => this.#collapse(error))
  }

  /** The stage `closed` is final. */
  #leave(stage: 'ended' | 'closed'): void {
    if (this.#stage !== 'closed') this.#stage = stage
    this.#over.abort()
  }

  /** The new state could not be stored. The older note makes the next start clean up. */
  #collapse(error: unknown): void {
    this.#deps.log.error('A connection cannot go on', { connection: this.#connection.id, error })
    const { connection, effects } = fail(this.#connection, reasonFor(error, this.#deps.redactor))
    this.#connection = connection
    this.#leave('ended')
    for (const effect of effects) if (effect.kind === 'say') this.#say(effect.text)
  }

  get #chat(): ChatPlace | undefined {
    return this.#connection.isChat ? this.#connection : undefined
  }

  /** A message outside the handling of an event, so readers are notified here. */
  #say(text: string): void {
    this.#transcript.say(text, this.#chat)
    this.#changes.announce()
  }

  #watch(): void {
    this.#untilExpired().catch((error: unknown) => {
      if (this.#stage === 'open') this.#collapse(error)
    })
  }

  async #untilExpired(): Promise<void> {
    while (!hasEnded(this.#connection) && this.#stage !== 'closed') {
      const leftMs = this.#connection.expiresAt - this.#deps.now()
      if (leftMs > 0) await this.#deps.sleep(leftMs, this.#over.signal)
      else await this.dispatch({ kind: 'expired' })
    }
  }
}
