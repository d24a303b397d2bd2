/**
 * The `Setup` port: connect flows, one per person at most, driven from a chat, a terminal or a form alike. No model takes
 * part in any of it, and no answer of this port ever holds what a person entered.
 */
import { randomUUID } from 'node:crypto'
import type { Principal, PrincipalId } from '../kernel/principal.ts'
import type { FlowView, Setup } from '../kernel/setup-port.ts'
import { type Entry, FLOW_MS, type Flow, hasEnded, needFor } from './connection/connection.ts'
import { createFlowNotes } from './connection/connection-notes.ts'
import { NOT_DELETED } from './connection/connection-messages.ts'
import { createTurns, type Turns } from '../text/serial-queue.ts'
import { createPendingDeletions, type PendingDeletions } from './message/pending-deletions.ts'
import { faultIn, isCancelWord } from './connection/read-answer.ts'
import { type Resolved, resolveService } from './resolve/resolve-service.ts'
import { RunningFlow, type RunningRooms } from './connection/running-connection.ts'
import { noSuchFlow, notAsking, ownerOnly, unusable } from './setup-errors.ts'
import type { SetupRooms } from './setup-deps.ts'
import { createTaker } from './message/message-handler.ts'

export interface OwnedSetup extends Setup, AsyncDisposable {
  /** Takes up what an earlier run left: messages to delete, flows under way. To be called once, when people can be reached. */
  resume(): Promise<void>
}

export function createSetup(parts: SetupRooms): OwnedSetup {
  const deletions = createPendingDeletions(parts)
  const flowNotes = createFlowNotes(parts.notes, parts.owner, parts.log)
  const desk = new FlowDesk({ ...parts, deletions, flowNotes })
  const never = new AbortController().signal
  return {
    async connect(principal, name, signal) {
      if (principal.kind !== 'owner') throw ownerOnly()
      const resolved = await resolveService(parts, principal.id, name.trim(), signal)
      const { running } = await desk.open(principal.id, resolved, {}, signal)
      return running.view
    },
    view: (principal) => desk.newestOf(principal)?.view,
    follow: async (flow, after, signal) => await desk.find(flow).follow(after, signal),
    provide: async (flow, value) => {
      const tokenOf = parts.catalog.serviceOfToken(value)
      const entry = { text: value, ...(tokenOf && { tokenOf }) }
      return await provide(desk.find(flow), entry, never)
    },
    async cancel(principal) {
      const running = desk.newestOf(principal)
      if (!running || hasEnded(running.flow)) return undefined
      await running.dispatch({ kind: 'cancel' })
      return running.view
    },
    take: createTaker({
      ...parts,
      deletions,
      current: ({ principal }) => desk.newestOf(principal),
      async open(resolved, { principal, isRemote = false }, signal) {
        const place = { isChat: true, isRemote }
        return (await desk.open(principal.id, resolved, place, signal)).said
      },
    }),
    async resume() {
      // Whatever is wrong with what was left must not keep the house from opening.
      await retryDeletions(parts, deletions).catch((error: unknown) => {
        parts.log.error('Messages that hold a secret may not be deleted', { error })
      })
      await desk.resume()
    },
    [Symbol.asyncDispose]: () => desk[Symbol.asyncDispose](),
  }
}

async function retryDeletions(
  { outlet, owner }: SetupRooms,
  deletions: PendingDeletions,
): Promise<void> {
  if (!(await deletions.retry())) await outlet.say(owner, NOT_DELETED)
}

async function provide(running: RunningFlow, entry: Entry, signal: AbortSignal): Promise<FlowView> {
  const { state, service } = running.flow
  if (state.kind !== 'asking') throw notAsking(service.title)
  if (isCancelWord(entry.text)) {
    await running.dispatch({ kind: 'cancel' })
    return running.view
  }
  const need = needFor(service, state.key)
  const fault = faultIn(service, need, entry)
  if (fault !== undefined) throw unusable(need.title, fault)
  await running.dispatch({ kind: 'provided', entry })
  await running.rest(signal)
  return running.view
}

const MOST_KEPT = 20

type Place = Partial<Pick<Flow, 'isChat' | 'isRemote'>>

interface Opened {
  readonly running: RunningFlow
  readonly said: readonly string[]
}

/** The newest flow of each person; one that is replaced has ended before the next one begins. */
class FlowDesk implements AsyncDisposable {
  readonly #rooms: RunningRooms
  readonly #newest = new Map<PrincipalId, RunningFlow>()
  /** Also those that were replaced: whoever follows one hears of its end. */
  readonly #byId = new Map<string, RunningFlow>()
  readonly #inTurn: Turns = createTurns()

  constructor(rooms: RunningRooms) {
    this.#rooms = rooms
  }

  newestOf({ kind, id }: Principal): RunningFlow | undefined {
    return kind === 'owner' ? this.#newest.get(id) : undefined
  }

  find(flow: string): RunningFlow {
    const found = this.#byId.get(flow)
    if (!found) throw noSuchFlow(flow)
    return found
  }

  async open(
    owner: PrincipalId,
    resolved: Resolved,
    place: Place,
    signal: AbortSignal,
  ): Promise<Opened> {
    return await this.#inTurn(async () => {
      const farewell = await this.#replace(this.#newest.get(owner), signal)
      const running = new RunningFlow(this.#rooms, this.#create(owner, resolved, place))
      this.#keep(running) // first: whoever speaks while it starts speaks to it
      const said = await running.start(signal)
      return { running, said: [...farewell, ...said] }
    })
  }

  async resume(): Promise<void> {
    await this.#inTurn(async () => {
      for (const { form: _old, ...flow } of await this.#rooms.flowNotes.list()) {
        const form = this.#rooms.formUrl?.(flow.service.slug)
        const whole = { ...flow, ...(form !== undefined && { form }) }
        const running = new RunningFlow(this.#rooms, whole)
        this.#keep(running)
        await running.resume().catch((error: unknown) => {
          this.#rooms.log.error('A connect flow was not taken up again', { flow: flow.id, error })
        })
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#byId.values()].map((running) => running[Symbol.asyncDispose]()))
  }

  async #replace(old: RunningFlow | undefined, signal: AbortSignal): Promise<readonly string[]> {
    if (!old || hasEnded(old.flow)) return []
    return (await old.hear({ kind: 'replaced' }, signal))?.said ?? []
  }

  #keep(running: RunningFlow): void {
    this.#newest.set(running.flow.principal, running)
    this.#byId.set(running.flow.id, running)
    const [oldest] = this.#byId.keys()
    if (this.#byId.size > MOST_KEPT && oldest !== undefined) this.#byId.delete(oldest)
  }

  #create(owner: PrincipalId, { service, isOwn, isPasted = false }: Resolved, place: Place): Flow {
    const form = this.#rooms.formUrl?.(service.slug)
    return {
      id: randomUUID(),
      principal: owner,
      service,
      isOwn,
      isPasted,
      isChat: false,
      isRemote: false,
      ...place,
      ...(form !== undefined && { form }),
      expiresAt: this.#rooms.now() + FLOW_MS,
      turn: 0,
      attempts: 0,
      found: { refs: {}, names: {}, missing: [] },
      settings: {},
      state: { kind: 'start' },
    }
  }
}
