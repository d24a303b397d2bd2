/**
 * Acts on one flow: takes its events one at a time, writes down where it stands, then does what is to be done. Work runs
 * beside it, and its result is an event like any other. A credential passes through here and stays nowhere.
 */
import type { MessageRef } from '../kernel/receive.ts'
import type { FlowView } from '../kernel/setup-port.ts'
import { haltServer, undoDefinition } from './connect-server.ts'
import {
  type Flow,
  type FlowEffect,
  type FlowEvent,
  type FlowWork,
  type Happening,
  hasEnded,
  type WorkResult,
} from './flow.ts'
import { type FlowNotes, isImplied } from './flow-notes.ts'
import { recordState } from './flow-records.ts'
import { fail } from './flow-steps.ts'
import { FlowVoice } from './flow-voice.ts'
import { NOT_DELETED } from './flow-words.ts'
import { performWork, type WorkRooms, type WorkVoice } from './flow-work.ts'
import { reasonFor } from './foreign-text.ts'
import { createTurns } from '../kernel/in-turn.ts'
import { nextFlow } from './next-flow.ts'
import type { PlannedDeletion } from './pending-deletions.ts'
import { type Prefetch, startPrefetch } from './prefetch.ts'
import { isOnTheWay, showFlow } from './show-flow.ts'
import { Versions } from './versions.ts'

const FOLLOW_MS = 25_000

export interface RunningRooms extends WorkRooms {
  readonly flowNotes: FlowNotes
}

/** An answer to what somebody said; whether that held a secret decides what may be kept of it. */
interface Heard {
  readonly said: readonly string[]
  readonly wasSecret: boolean
}

type Kinds = readonly FlowEffect['kind'][]

/** `ended`: nothing is left to do. `closed`: left as it is in the notes, whatever its state, and takes nothing more. */
type Stage = 'open' | 'ended' | 'closed'

export class RunningFlow implements AsyncDisposable {
  readonly #rooms: RunningRooms
  readonly #voice: FlowVoice
  readonly #versions = new Versions()
  readonly #inTurn = createTurns()
  /** All work so far, also work whose result is out of date. */
  readonly #allWork: Promise<void>[] = []
  #prefetch: Prefetch | undefined
  #stage: Stage = 'open'
  /** Aborted when the stage is no longer `open`. */
  readonly #over = new AbortController()
  #flow: Flow
  #work = new AbortController()

  constructor(rooms: RunningRooms, flow: Flow) {
    this.#rooms = rooms
    this.#voice = new FlowVoice(rooms)
    this.#flow = flow
  }

  get flow(): Flow {
    return this.#flow
  }

  get view(): FlowView {
    return showFlow(this.#flow, this.#voice.said, this.#versions.number)
  }

  /** Begins it, and returns what is said in answer. */
  async start(signal: AbortSignal): Promise<readonly string[]> {
    const heard = await this.hear({ kind: 'begin' }, signal)
    this.#watch()
    return heard?.said ?? []
  }

  /** Goes on from the note that the last process left. */
  async resume(): Promise<void> {
    await this.dispatch({ kind: 'begin' })
    this.#watch()
  }

  /** Returns the kinds of effect that followed. */
  async dispatch(happening: Happening, listener?: string[]): Promise<Kinds> {
    return await this.#inTurn(() =>
      this.#voice.answer(listener, () => this.#take({ ...happening, at: this.#rooms.now() })),
    )
  }

  /** As `dispatch`, with the replies; undefined where the event was not meant for this flow. */
  async hear(happening: Happening, signal: AbortSignal): Promise<Heard | undefined> {
    const said: string[] = []
    const kinds = await this.#voice.listen(said, async () => {
      const came = await this.dispatch(happening, said)
      if (!came.includes('pass')) await this.rest(signal)
      return came
    })
    if (kinds.includes('pass')) {
      this.#voice.send(said, this.#chat) // it spoke of its own accord meanwhile
      return undefined
    }
    const wasSecret = kinds.includes('store') || kinds.includes('erase')
    return { said: said.length > 0 ? said : this.#voice.said.slice(-1), wasSecret }
  }

  /** Resolves when it waits for somebody, works at length, or has ended. */
  async rest(signal: AbortSignal): Promise<void> {
    await this.#versions.until(() => this.#stage === 'closed' || !isOnTheWay(this.#flow), signal)
  }

  async follow(after: number, signal: AbortSignal): Promise<FlowView> {
    const late = new AbortController()
    const over = AbortSignal.any([late.signal, signal])
    const giveUp = (): void => late.abort()
    this.#rooms.sleep(FOLLOW_MS, over).then(giveUp, giveUp)
    const isChanged = (): boolean => this.#versions.number > after
    await this.#versions.until(() => this.#stage === 'closed' || isChanged(), over)
    late.abort()
    return this.view
  }

  /** Leaves it as it is in the notes, for the next start. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#leave('closed')
    this.#work.abort()
    this.#versions.bump()
    await Promise.allSettled([...this.#allWork, this.#prefetch?.settled])
  }

  async #take(event: FlowEvent): Promise<Kinds> {
    // Taken for a secret: a message that may hold a credential is passed on to nobody.
    if (this.#stage === 'closed') return ['erase']
    const before = this.#flow
    const { flow, effects } = nextFlow(before, event)
    const deletion = await this.#planDeletion(effects)
    if (flow !== before) await this.#enter(flow)
    const isClean = await this.#performAll(effects, deletion)
    const isDone = hasEnded(flow) && (flow !== before || event.kind === 'begin')
    if (isDone) this.#leave('ended')
    if (isDone && isClean) await this.#rooms.flowNotes.remove(flow)
    // Last, so that a waiting reader sees the new state together with all that was said about it.
    if (flow !== before || effects.length > 0) this.#versions.bump()
    return effects.map(({ kind }) => kind)
  }

  /** First of all, so that no crash leaves a credential in a chat once anything is known of it. */
  async #planDeletion(effects: readonly FlowEffect[]): Promise<PlannedDeletion | undefined> {
    const store = effects.find((effect) => effect.kind === 'store')
    return store?.message && (await this.#rooms.deletions.plan(store.message))
  }

  /** Records the new state, and notes it unless it follows from the note before, before anything of it happens. */
  async #enter(flow: Flow): Promise<void> {
    recordState(this.#rooms.audit, this.#flow, flow)
    if (!isImplied(this.#flow, flow)) await this.#rooms.flowNotes.put(flow)
    if (flow.turn !== this.#flow.turn) this.#work.abort()
    this.#flow = flow
  }

  /** False where something is left to clean up. */
  async #performAll(
    effects: readonly FlowEffect[],
    deletion: PlannedDeletion | undefined,
  ): Promise<boolean> {
    let isClean = true
    for (const effect of effects) isClean = (await this.#perform(effect, deletion)) && isClean
    return isClean
  }

  /** `deletion`: of the message whose secret is stored. */
  async #perform(effect: FlowEffect, deletion: PlannedDeletion | undefined): Promise<boolean> {
    switch (effect.kind) {
      case 'pass':
        return true
      case 'say':
        this.#voice.say(effect.text, this.#chat)
        return true
      case 'erase':
        await this.#erase(effect.message)
        return true
      case 'prefetch':
        this.#prefetch = startPrefetch(
          this.#rooms,
          this.#flow,
          (cause) => this.#lackPackage(cause),
          this.#over.signal,
        )
        return true
      case 'halt':
      case 'undo':
        return await this.#cleanUp(effect.kind)
      default:
        this.#work = new AbortController()
        this.#allWork.push(this.#run(effect, deletion, this.#work.signal))
        return true
    }
  }

  /** Told at once, so that nobody looks for a token in vain. */
  #lackPackage(cause: unknown): void {
    const reason = reasonFor(cause, this.#rooms.redactor)
    this.dispatch({ kind: 'no-package', reason }).catch((error: unknown) => this.#collapse(error))
  }

  async #erase(message: MessageRef | undefined): Promise<void> {
    const deletion = message && (await this.#rooms.deletions.plan(message))
    if (deletion && !(await deletion.carryOut())) this.#voice.say(NOT_DELETED, this.#chat)
  }

  /** Waits for aborted work first, since that may still write what has to be undone. */
  async #cleanUp(what: 'halt' | 'undo'): Promise<boolean> {
    await Promise.allSettled(this.#allWork)
    try {
      await (what === 'halt' ? haltServer : undoDefinition)(this.#rooms, this.#flow)
      return true
    } catch (error) {
      this.#rooms.log.error('A connect flow did not clean up', { flow: this.#flow.id, error })
      return false
    }
  }

  async #run(
    work: FlowWork,
    deletion: PlannedDeletion | undefined,
    signal: AbortSignal,
  ): Promise<void> {
    const flow = this.#flow
    const { turn } = flow
    const voice: WorkVoice = {
      say: (text) => (signal.aborted ? undefined : this.#say(text)),
      prompt: (prompt) => this.#report({ kind: 'prompted', prompt }, turn),
    }
    const context = { voice, signal, deletion, installed: this.#prefetch?.installed }
    this.#report(await performWork(this.#rooms, flow, work, context), turn)
  }

  #report(result: WorkResult, turn: number): void {
    this.dispatch({ ...result, turn }).catch((error: unknown) => this.#collapse(error))
  }

  /** Nothing leads out of `closed`. */
  #leave(stage: 'ended' | 'closed'): void {
    if (this.#stage !== 'closed') this.#stage = stage
    this.#over.abort()
  }

  /** The state cannot be noted any more. The last note makes the next start clean up. */
  #collapse(error: unknown): void {
    this.#rooms.log.error('A connect flow cannot go on', { flow: this.#flow.id, error })
    const { flow, effects } = fail(this.#flow, reasonFor(error, this.#rooms.redactor))
    this.#flow = flow
    this.#leave('ended')
    for (const effect of effects) if (effect.kind === 'say') this.#say(effect.text)
  }

  get #chat(): Flow['principal'] | undefined {
    return this.#flow.isChat ? this.#flow.principal : undefined
  }

  /** Of its own accord, rather than in answer to an event. */
  #say(text: string): void {
    this.#voice.say(text, this.#chat)
    this.#versions.bump()
  }

  #watch(): void {
    this.#untilExpired().catch((error: unknown) => {
      if (this.#stage === 'open') this.#collapse(error)
    })
  }

  async #untilExpired(): Promise<void> {
    while (!hasEnded(this.#flow) && this.#stage !== 'closed') {
      const leftMs = this.#flow.expiresAt - this.#rooms.now()
      if (leftMs > 0) await this.#rooms.sleep(leftMs, this.#over.signal)
      else await this.dispatch({ kind: 'expired' })
    }
  }
}
