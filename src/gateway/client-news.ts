/**
 * News of servers on their way to clients: changed lists, updated resources, log messages. A change is told at most once
 * per interval and kind, whatever a server sends; what a client did not ask for is not sent.
 */
import type { FeatureEvent, Features, LogLevel } from '../ports/feature-port.ts'
import type { OfferChanges } from '../ports/context-port.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { JsonObject } from '../text/json.ts'
import { READ_RESOURCE } from '../text/feature-names.ts'
import { LOG_LEVELS } from '../text/log-levels.ts'
import type { ClientLink } from './client-link.ts'
import { type ClientSession, raiseLabel } from './client-session.ts'
import type { ClientViews } from './client-views.ts'
import type { Exchange } from './handle-request.ts'
import type { Offer, Offered } from './offered-tools.ts'
import type { ResourceOffer } from './offered-resources.ts'
import { isObject, notificationMessage } from './rpc-message.ts'

export type ChangedList = 'tools' | 'resources' | 'prompts'

/** A client that follows resources. */
export interface Follower {
  readonly session: ClientSession
  readonly link: ClientLink
}

export interface Listener {
  readonly follower: Follower
  changed(list: ChangedList): void
  updated(server: ServerId, uri: string): void
}

export interface NewsDeps {
  readonly features: Pick<Features, 'watch' | 'wantLogs' | 'unsubscribe'>
  readonly views: Pick<ClientViews, 'refresh'>
  readonly offer: Pick<Offer, 'list'>
  readonly offerChanges: OfferChanges
  readonly resources: Pick<ResourceOffer, 'forget'>
}

/** A call under way, to which log messages of its server are told. */
interface Logged {
  readonly exchange: Exchange
  readonly server: ServerId
  readonly level: LogLevel
}

const INTERVAL_MS = 100
const LEVEL_KEY = 'io.modelcontextprotocol/logLevel'

export class ClientNews implements Disposable {
  readonly #deps: NewsDeps
  readonly #listeners = new Set<Listener>()
  readonly #calls = new Set<Logged>()
  readonly #changed = new Set<ChangedList>()
  readonly #watching: Disposable
  readonly #ended = new AbortController()
  #timer: NodeJS.Timeout | undefined
  #offered: Offered | undefined

  constructor(deps: NewsDeps) {
    this.#deps = deps
    this.#watching = deps.features.watch((event) => this.#take(event))
    void this.#followEdits()
  }

  /** A client of the legacy era, from its `initialize` on until its link closes. */
  join({ session, link }: Follower, params: JsonObject): void {
    const { capabilities } = params
    link.capabilities = isObject(capabilities) ? capabilities : {}
    if (link.isJoined) return
    link.isJoined = true
    const leave = this.listen({
      follower: { session, link },
      changed: (list) => link.push(`notifications/${list}/list_changed`, {}),
      updated: (server, uri) => {
        for (const [known, located] of link.subscribed) {
          if (located.server !== server || located.uri !== uri) continue
          link.push('notifications/resources/updated', { uri: known })
        }
      },
    })
    link.onClose(() => leave[Symbol.dispose]())
  }

  listen(listener: Listener): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }

  /** While it lasts, log messages of the server are told with the call. */
  logsOf(exchange: Exchange, server: ServerId): Disposable {
    const level = levelOf(exchange)
    if (!level || !exchange.notify) return { [Symbol.dispose]: () => undefined }
    this.#deps.features.wantLogs(server, level)
    const call = { exchange, server, level }
    this.#calls.add(call)
    return { [Symbol.dispose]: () => void this.#calls.delete(call) }
  }

  [Symbol.dispose](): void {
    this.#ended.abort()
    this.#watching[Symbol.dispose]()
    clearTimeout(this.#timer)
  }

  /** The owner changed a client or a context: every list of every client may be another. */
  async #followEdits(): Promise<void> {
    const { signal } = this.#ended
    for (;;) {
      await this.#deps.offerChanges.next(signal)
      if (signal.aborted) return
      for (const { follower } of this.#listeners) await this.#endLost(follower)
      for (const list of ['tools', 'resources', 'prompts'] as const) {
        for (const listener of this.#listeners) listener.changed(list)
      }
    }
  }

  /** Ends the subscriptions to servers that the contexts of their client have lost. */
  async #endLost({ session, link: { subscribed } }: Follower): Promise<void> {
    if (subscribed.size === 0) return
    const { views, features } = this.#deps
    const isKnown = await views.refresh(session).catch(() => false)
    for (const [uri, located] of subscribed) {
      if (isKnown && session.scope.has({ server: located.server, name: READ_RESOURCE })) continue
      subscribed.delete(uri)
      await features.unsubscribe(located.server, located.uri).catch(() => undefined)
    }
  }

  #take(event: FeatureEvent): void {
    if (event.kind === 'log') return this.#log(event)
    if (event.kind === 'updated') {
      for (const listener of this.#listeners) listener.updated(event.server, event.uri)
      return
    }
    if (event.kind === 'resources') this.#deps.resources.forget()
    this.#changed.add(event.kind)
    this.#timer ??= setTimeout(() => void this.#tell(), INTERVAL_MS).unref()
  }

  async #tell(): Promise<void> {
    const changed = [...this.#changed]
    this.#changed.clear()
    this.#timer = undefined
    for (const list of changed) {
      if (list === 'tools' && !(await this.#hasOtherTools())) continue
      for (const listener of this.#listeners) listener.changed(list)
    }
  }

  /** A server that started may list the very tools that were known of it. */
  async #hasOtherTools(): Promise<boolean> {
    const offered = await this.#deps.offer.list().catch(() => undefined)
    const isOther = offered !== this.#offered
    this.#offered = offered
    return isOther
  }

  /** A server does not say for whom it logs: told only while all of its calls are of one session. */
  #log({ server, message, label, calls }: Extract<FeatureEvent, { readonly kind: 'log' }>): void {
    const own = [...this.#calls].filter((call) => call.server === server)
    const last = own.at(-1)
    if (!last || own.length < calls) return
    const { session, notify } = last.exchange
    if (own.some(({ exchange }) => exchange.session !== session)) return
    if (rankOf(message['level']) < rankOf(last.level)) return
    // The client's model may read it: from here on its words may be those of this server.
    raiseLabel(session, label)
    notify?.(notificationMessage('notifications/message', { ...message, logger: server }))
  }
}

function levelOf({ era, link, request }: Exchange): LogLevel | undefined {
  if (era === 'legacy') return link.logLevel
  const meta = request.params['_meta']
  const asked = isObject(meta) ? meta[LEVEL_KEY] : undefined
  return LOG_LEVELS.find((level) => level === asked)
}

function rankOf(level: unknown): number {
  return LOG_LEVELS.findIndex((one) => one === level)
}
