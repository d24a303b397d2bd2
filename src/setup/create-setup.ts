/**
 * The `Setup` port: connections of one principal, one at a time, driven from a chat, a terminal or a form alike. No model
 * takes part in any step, and no answer of this port ever holds what a person entered.
 */
import { randomUUID } from 'node:crypto'
import type { Message } from '../kernel/receive.ts'
import type { CredentialNeed, Service } from '../ports/service-facts.ts'
import type { ConnectionView, ConnectOptions, Setup } from '../ports/setup-port.ts'
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
import { yesOrNo } from './connection/next-offering.ts'
import { faultIn, isCancelWord } from './connection/read-answer.ts'
import type { Places } from './places/places.ts'
import { pastedPlaces } from './places/pasted-places.ts'
import { givenPlaces, placeFor } from './places/read-place.ts'
import { asAccount, splitAccount } from './resolve/account.ts'
import { applyWish } from './resolve/apply-wish.ts'
import { type Resolved, resolveService } from './resolve/resolve-service.ts'
import { RunningConnection, type RunningDeps } from './connection/running-connection.ts'
import { callbackRefused } from './oauth/oauth-errors.ts'
import { noPlace, noSuchConnection, notAsking, notYesOrNo, unusable } from './setup-errors.ts'
import type { SetupDeps } from './setup-deps.ts'
import { answeringChat } from './message/answering-chat.ts'
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
    async connect(name, { asksVault = false, account, ...options }, signal) {
      const resolved = await resolveAccount(parts, { name, account }, signal)
      const places = placesFor(parts, resolved.service, options)
      const place = { asksVault, ...(places && { places }) }
      const wanted = { ...resolved, ...applyWish(resolved.service, options) }
      return (await connections.open(wanted, place, signal)).running.view
    },
    view: () => connections.newest?.view,
    follow: async (connection, after, signal) =>
      await connections.find(connection).follow(after, signal),
    provide: async (connection, value) => {
      const running = connections.find(connection)
      const returned = await returnFromBrowser(parts, running, value)
      if (returned) return returned
      const tokenOf = parts.catalog.serviceOfToken(value)
      const place = placeFor(parts, running.connection, value)
      const entry = { text: value, ...(tokenOf && { tokenOf }), ...(place && { place }) }
      return await provide(running, entry, never)
    },
    async cancel() {
      const running = connections.newest
      if (!running || hasEnded(running.connection)) return undefined
      await running.dispatch({ kind: 'cancel' })
      return running.view
    },
    vaultOpened: () => connections.vaultOpened(never),
    take: createMessageHandler({
      ...parts,
      deletions,
      current: () => connections.newest,
      open: async (resolved, message, signal) =>
        (await connections.open(resolved, chatOf(message), signal)).said,
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

function chatOf(message: Message): Place {
  const { isRemote = false, isTyped = false } = message
  return { isChat: true, isRemote, asksVault: isTyped, conversation: answeringChat(message) }
}

async function resolveAccount(
  parts: SetupDeps,
  given: { readonly name: string; readonly account: string | undefined },
  signal: AbortSignal,
): Promise<Resolved> {
  const { name, account } = given.account === undefined ? splitAccount(given.name) : given
  const resolved = await resolveService(parts, name.trim(), signal)
  return account === undefined ? resolved : asAccount(parts.catalog, resolved, account)
}

async function retryDeletions(
  { outlet, owner }: SetupDeps,
  deletions: PendingDeletions,
): Promise<void> {
  if (!(await deletions.retry())) await outlet.say(owner.id, NOT_DELETED, true)
}

/** Undefined if the value is no callback URL. One that nobody waits for is never stored as a token. */
async function returnFromBrowser(
  { acquirer }: SetupDeps,
  running: RunningConnection,
  value: string,
): Promise<ConnectionView | undefined> {
  const kind = acquirer?.takeCallback(value) ?? 'other'
  if (kind === 'other') return undefined
  if (kind === 'unexpected') throw callbackRefused('no sign-in waits for it')
  await running.hear({ kind: 'returned' }, new AbortController().signal)
  return running.view
}

async function provide(
  running: RunningConnection,
  entry: Entry,
  signal: AbortSignal,
): Promise<ConnectionView> {
  const { state, service } = running.connection
  if (state.kind !== 'asking' && state.kind !== 'offering') throw notAsking(service.title)
  if (isCancelWord(entry.text)) {
    await running.dispatch({ kind: 'cancel' })
    return running.view
  }
  if (state.kind === 'asking') refuseUnusable(service, needFor(service, state.key), entry)
  else if (yesOrNo(entry.text) === undefined) throw notYesOrNo()
  await running.dispatch({ kind: 'provided', entry })
  await running.rest(signal)
  return running.view
}

/** The folders or the file given with the command; undefined if none are. */
function placesFor(
  parts: SetupDeps,
  { credentials }: Service,
  options: ConnectOptions,
): Places | undefined {
  const isFile = credentials.some(({ place }) => place === 'file')
  const reading = givenPlaces(parts, options, isFile)
  if (reading?.kind === 'fault') throw noPlace(reading.fault)
  return reading?.kind === 'places' ? reading.places : undefined
}

function refuseUnusable(service: Service, need: CredentialNeed, entry: Entry): void {
  const fault = faultIn(service, need, entry)
  if (fault !== undefined) throw need.place ? noPlace(fault) : unusable(need.title, fault)
}

const MOST_KEPT = 20

type Place = Partial<
  Pick<Connection, 'isChat' | 'isRemote' | 'asksVault' | 'places' | 'conversation'>
>
/** A service with what the person wants of it besides. */
type Asked = Resolved & Partial<Pick<Connection, 'settings' | 'changes' | 'isAgain'>>

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

  async open(resolved: Asked, place: Place, signal: AbortSignal): Promise<Opened> {
    return await this.#serially(async () => {
      const farewell = await this.#replace(this.#newest, signal)
      const running = new RunningConnection(this.#deps, this.#create(resolved, place))
      this.#keep(running) // before `start`, so that messages during the start reach it
      const said = await running.start(signal)
      return { running, said: [...farewell, ...said] }
    })
  }

  async vaultOpened(signal: AbortSignal): Promise<void> {
    await this.#newest?.dispatch({ kind: 'vault-opened' })
    await this.#newest?.rest(signal)
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

  #create(
    { service: wanted, isOwn, isPasted = false, ...wished }: Asked,
    place: Place,
  ): Connection {
    const form = this.#deps.formUrl?.(wanted.slug)
    const { service, chosen } =
      isOwn || place.places ? { service: wanted } : pastedPlaces(this.#deps, wanted)
    return {
      id: randomUUID(),
      principal: this.#deps.owner.id,
      service,
      isOwn,
      isPasted,
      isChat: false,
      isRemote: false,
      ...place,
      ...(chosen && { chosen }),
      ...(form !== undefined && { form }),
      expiresAt: this.#deps.now() + QUESTION_MS,
      turn: 0,
      attempts: 0,
      found: { refs: {}, names: {}, missing: [] },
      settings: {},
      ...wished,
      state: { kind: 'start' },
    }
  }
}
