/**
 * The features of one server besides tools, over all its sessions: lists as last read, subscriptions that outlive a
 * restart, and the server's events on their way to the followers. A server may announce changes as fast as it likes:
 * each kind is passed on at most once per interval.
 */
import type { FeatureEvent, ListKind, LogLevel } from '../../ports/feature-port.ts'
import type { Label } from '../../labels/label.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { Json, JsonObject } from '../../text/json.ts'
import { LOG_LEVELS } from '../../text/log-levels.ts'
import { createRateLimit } from '../../text/rate-limit.ts'
import type { LogRing } from '../session/log-ring.ts'
import type { Session } from '../session/open-session.ts'
import type { SessionEvent } from '../session/session-features.ts'
import { delayed } from './life-watch.ts'
import { logMessageIn, showLogMessage } from './log-message.ts'

export interface FeatureDeps {
  readonly onFeature: (event: FeatureEvent) => void
  readonly redact: (text: string) => string
  readonly timings: { readonly relistMs: number }
  readonly now: () => number
}

interface Followed {
  readonly id: ServerId
  readonly label: Label
  readonly ring: LogRing
  readonly usage: { readonly calls: number }
}

/** An event without what is the same for all of this server. */
type Said = FeatureEvent extends infer E
  ? E extends E
    ? Omit<E, 'server' | 'label'>
    : never
  : never

interface KnownList {
  readonly items: Promise<readonly JsonObject[]>
  readonly readAt: number
}

/** A list that its server does not announce to have changed is read again after this long. */
const FRESH_MS = 30_000
const MOST_SUBSCRIPTIONS = 1000
const UPDATES_MS = 100
const LOG_RATE = { atOnce: 200, perSecond: 20 }
const TOO_CHATTY = 'The server sends more log messages than this log takes; some are left out'

export class ServerFeatures {
  readonly #deps: FeatureDeps
  readonly #server: Followed
  readonly #lists = new Map<ListKind, KnownList>()
  readonly #lastRead = new Map<ListKind, readonly JsonObject[]>()
  /** How often each URI is subscribed to. */
  readonly #subscribed = new Map<string, number>()
  readonly #updated = new Set<string>()
  readonly #mayLog = createRateLimit(LOG_RATE)
  readonly #tellUpdates = delayed(UPDATES_MS, () => this.#flushUpdates())
  #logLevel: LogLevel | undefined
  #isChatty = false

  constructor(deps: FeatureDeps, server: Followed) {
    this.#deps = deps
    this.#server = server
  }

  /** How long the server may be unused. 0 means forever, and a subscription is use. */
  idleMs(wanted: number): number {
    return wanted === 0 || this.#subscribed.size > 0 ? Infinity : wanted
  }

  /** A session begins. `relist` reads the tools again. */
  follow(session: Session, relist: () => Promise<void>): void {
    const { relistMs } = this.#deps.timings
    const changed = {
      tools: delayed(relistMs, () => relist().then(() => this.#changed('tools'))),
      resources: delayed(relistMs, () => this.#changed('resources')),
      prompts: delayed(relistMs, () => this.#changed('prompts')),
    }
    session.features.follow((event) => this.#take(event, changed))
    for (const kind of ['tools', 'resources', 'prompts'] as const) this.#changed(kind)
    void this.#restore(session)
  }

  async list(session: Session, kind: ListKind): Promise<readonly JsonObject[]> {
    const known = this.#lists.get(kind)
    if (known && this.#deps.now() - known.readAt < FRESH_MS) return await known.items
    const items = session.features.list(kind)
    this.#lists.set(kind, { items, readAt: this.#deps.now() })
    items.then(
      (read) => this.#lastRead.set(kind, read),
      // A failure is not cached: the next read may succeed.
      () => this.#lists.delete(kind),
    )
    return await items
  }

  /** However long ago that was; undefined before the first time. */
  lastRead(kind: ListKind): readonly JsonObject[] | undefined {
    return this.#lastRead.get(kind)
  }

  /** As last read, for a server that does not run. */
  known(kind: ListKind): Promise<readonly JsonObject[]> | undefined {
    return this.#lists.get(kind)?.items
  }

  async subscribe(session: Session, uri: string, signal: AbortSignal): Promise<Json> {
    const isNew = !this.#subscribed.has(uri)
    if (isNew && this.#subscribed.size >= MOST_SUBSCRIPTIONS) {
      throw new Error(`there are ${MOST_SUBSCRIPTIONS} subscriptions already`)
    }
    const answer = await session.features.subscribe(uri, signal)
    this.#subscribed.set(uri, (this.#subscribed.get(uri) ?? 0) + 1)
    return answer
  }

  async unsubscribe(session: Session | undefined, uri: string): Promise<void> {
    const left = (this.#subscribed.get(uri) ?? 0) - 1
    if (left > 0) return void this.#subscribed.set(uri, left)
    // The answer makes no difference: news that still comes is dropped here.
    if (this.#subscribed.delete(uri))
      await session?.features.unsubscribe(uri).catch(() => undefined)
  }

  async setLogLevel(session: Session, level: LogLevel): Promise<void> {
    this.#logLevel = level
    await session.features.setLogLevel(level)
  }

  /** Never fewer messages than somebody asked for before. */
  wantLogs(session: Session | undefined, level: LogLevel): void {
    const rank = (one: LogLevel): number => LOG_LEVELS.indexOf(one)
    if (this.#logLevel && rank(this.#logLevel) <= rank(level)) return
    this.#logLevel = level
    void session?.features.setLogLevel(level).catch(() => undefined)
  }

  /** A new session knows nothing of what the one before was asked to tell. */
  async #restore({ features }: Session): Promise<void> {
    const never = new AbortController().signal
    if (this.#logLevel) await features.setLogLevel(this.#logLevel).catch(() => undefined)
    for (const uri of this.#subscribed.keys()) {
      await features.subscribe(uri, never).catch(() => undefined)
    }
  }

  #take(
    event: SessionEvent,
    changed: Readonly<Record<'tools' | 'resources' | 'prompts', () => void>>,
  ): void {
    if (event.kind === 'log') return this.#log(event.params)
    if (event.kind !== 'updated') return changed[event.kind]()
    // Only what was asked for: a server could otherwise fill the set with addresses of its own.
    const uri = [...this.#subscribed.keys()].find((one) => event.uri.startsWith(one))
    if (uri === undefined) return
    this.#updated.add(uri)
    this.#tellUpdates()
  }

  #changed(kind: 'tools' | 'resources' | 'prompts'): void {
    if (kind === 'prompts') this.#lists.delete('prompts')
    if (kind === 'resources')
      for (const one of ['resources', 'templates'] as const) this.#lists.delete(one)
    this.#emit({ kind })
  }

  #flushUpdates(): void {
    const uris = [...this.#updated]
    this.#updated.clear()
    for (const uri of uris) this.#emit({ kind: 'updated', uri })
  }

  #log(params: JsonObject): void {
    const { ring, usage } = this.#server
    if (!this.#mayLog()) {
      if (!this.#isChatty) ring.add('cordon', TOO_CHATTY)
      this.#isChatty = true
      return
    }
    this.#isChatty = false
    const message = logMessageIn(params, this.#deps.redact)
    if (!message) return
    ring.add('log', showLogMessage(message))
    this.#emit({ kind: 'log', message, calls: usage.calls })
  }

  #emit(event: Said): void {
    const { id: server, label } = this.#server
    this.#deps.onFeature({ ...event, server, label })
  }
}
