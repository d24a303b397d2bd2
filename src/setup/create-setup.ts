/**
 * The `Setup` port: connections of one principal, one at a time, driven from a chat, a terminal or a form alike. No model
 * takes part in any step, and no answer of this port ever holds what a person entered.
 */
import { randomUUID } from 'node:crypto'
import type { ConnectionView, Setup } from '../kernel/setup-port.ts'
import {
  type Entry,
  QUESTION_MS,
  type Connection,
  hasEnded,
  needFor,
} from './connection/connection.ts'
import { createConnectionNotes } from './connection/connection-notes.ts'
import { NOT_DELETED } from './connection/connection-messages.ts'
import { createSerialQueue, type SerialQueue } from '../text/serial-queue.ts'
import { createPendingDeletions, type PendingDeletions } from './message/pending-deletions.ts'
import { faultIn, isCancelWord } from './connection/read-answer.ts'
import { type Resolved, resolveService } from './resolve/resolve-service.ts'
import { RunningConnection, type RunningDeps } from './connection/running-connection.ts'
import { noSuchConnection, notAsking, unusable } from './setup-errors.ts'
import type { SetupDeps } from './setup-deps.ts'
import { createMessageHandler } from './message/message-handler.ts'

export interface OwnedSetup extends Setup, AsyncDisposable {
  /** Resumes messages to delete and connections of an earlier run. Called once, as soon as messages can be sent. */
  resume(): Promise<void>
}

export function createSetup(parts: SetupDeps): OwnedSetup {
  const deletions = createPendingDeletions(parts)
  const connectionNotes = createConnectionNotes(parts.notes, parts.log)
  const connections = new Connections({ ...parts, deletions, connectionNotes })
  const never = new AbortController().signal
  return {
    async connect(name, signal) {
      const resolved = await resolveService(parts, name.trim(), signal)
      const { running } = await connections.open(resolved, {}, signal)
      return running.view
    },
    view: () => connections.newest?.view,
    follow: async (connection, after, signal) =>
      await connections.find(connection).follow(after, signal),
    provide: async (connection, value) => {
      const tokenOf = parts.catalog.serviceOfToken(value)
      const entry = { text: value, ...(tokenOf && { tokenOf }) }
      return await provide(connections.find(connection), entry, never)
    },
    async cancel() {
      const running = connections.newest
      if (!running || hasEnded(running.connection)) return undefined
      await running.dispatch({ kind: 'cancel' })
      return running.view
    },
    take: createMessageHandler({
      ...parts,
      deletions,
      current: () => connections.newest,
      async open(resolved, { isRemote = false }, signal) {
        const place = { isChat: true, isRemote }
        return (await connections.open(resolved, place, signal)).said
      },
    }),
    async resume() {
      // A failed deletion must not keep Cordon from starting.
      await retryDeletions(parts, deletions).catch((error: unknown) => {
        parts.log.error('Messages that hold a secret may not be deleted', { error })
      })
      await connections.resume()
    },
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  }
}

async function retryDeletions(
  { outlet, owner }: SetupDeps,
  deletions: PendingDeletions,
): Promise<void> {
  if (!(await deletions.retry())) await outlet.say(owner.id, NOT_DELETED)
}

async function provide(
  running: RunningConnection,
  entry: Entry,
  signal: AbortSignal,
): Promise<ConnectionView> {
  const { state, service } = running.connection
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

type Place = Partial<Pick<Connection, 'isChat' | 'isRemote'>>

interface Opened {
  readonly running: RunningConnection
  readonly said: readonly string[]
}

/** The newest connection; a replaced connection has ended before the next one begins. */
class Connections implements AsyncDisposable {
  readonly #deps: RunningDeps
  #newest: RunningConnection | undefined
  /** Includes replaced connections, so that a caller that follows one learns of its end. */
  readonly #byId = new Map<string, RunningConnection>()
  readonly #serially: SerialQueue = createSerialQueue()

  constructor(deps: RunningDeps) {
    this.#deps = deps
  }

  get newest(): RunningConnection | undefined {
    return this.#newest
  }

  find(connection: string): RunningConnection {
    const found = this.#byId.get(connection)
    if (!found) throw noSuchConnection(connection)
    return found
  }

  async open(resolved: Resolved, place: Place, signal: AbortSignal): Promise<Opened> {
    return await this.#serially(async () => {
      const farewell = await this.#replace(this.#newest, signal)
      const running = new RunningConnection(this.#deps, this.#create(resolved, place))
      this.#keep(running) // before `start`, so that messages during the start reach it
      const said = await running.start(signal)
      return { running, said: [...farewell, ...said] }
    })
  }

  async resume(): Promise<void> {
    await this.#serially(async () => {
      for (const { form: _old, ...connection } of await this.#deps.connectionNotes.list()) {
        const form = this.#deps.formUrl?.(connection.service.slug)
        const whole = { ...connection, ...(form !== undefined && { form }) }
        const running = new RunningConnection(this.#deps, whole)
        this.#keep(running)
        await running.resume().catch((error: unknown) => {
          this.#deps.log.error('A connection was not taken up again', {
            connection: connection.id,
            error,
          })
        })
      }
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.#byId.values()].map((running) => running[Symbol.asyncDispose]()))
  }

  async #replace(
    old: RunningConnection | undefined,
    signal: AbortSignal,
  ): Promise<readonly string[]> {
    if (!old || hasEnded(old.connection)) return []
    return (await old.hear({ kind: 'replaced' }, signal))?.said ?? []
  }

  #keep(running: RunningConnection): void {
    this.#newest = running
    this.#byId.set(running.connection.id, running)
    const [oldest] = this.#byId.keys()
    if (this.#byId.size > MOST_KEPT && oldest !== undefined) this.#byId.delete(oldest)
  }

  #create({ service, isOwn, isPasted = false }: Resolved, place: Place): Connection {
    const form = this.#deps.formUrl?.(service.slug)
    return {
      id: randomUUID(),
      principal: this.#deps.owner.id,
      service,
      isOwn,
      isPasted,
      isChat: false,
      isRemote: false,
      ...place,
      ...(form !== undefined && { form }),
      expiresAt: this.#deps.now() + QUESTION_MS,
      turn: 0,
      attempts: 0,
      found: { refs: {}, names: {}, missing: [] },
      settings: {},
      state: { kind: 'start' },
    }
  }
}
