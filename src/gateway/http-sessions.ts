/**
 * The sessions of clients over HTTP. A client of the older versions gets one with `initialize`, under a random id that only
 * its own token opens. One of the modern era has no sessions: its requests share what the gateway remembers of the client,
 * until it has been silent for an hour, without a request under way. Where several kernels share the store, a session is read from there for every
 * request, and written before the answer leaves: the next request may come to another kernel.
 */
import { randomBytes, randomUUID } from 'node:crypto'
import type { Log, Notes } from '../kernel/ports.ts'
import type { GatewayClient } from '../ports/client-port.ts'
import { BriefMap } from '../text/brief-map.ts'
import type { Json, JsonObject } from '../text/json.ts'
import type { Peer } from './answer-message.ts'
import { ClientLink } from './client-link.ts'
import { createSession, raiseLabel, sinkOf } from './client-session.ts'
import { resultsNamedIn } from './results-named-in.ts'
import { type SessionRow, SessionRows } from './session-rows.ts'

const MOST_SESSIONS = 1000
const SILENT_MS = 3_600_000
const SWEEP_MS = 600_000
const SESSION_ID = /^[0-9a-f-]{36}$/

interface Kept {
  readonly peer: Peer & Required<Pick<Peer, 'hold'>>
  /** The beginning or the end of a request. */
  usedAt: number
  /** Requests that may still raise its label, however long they take. */
  underWay: number
  /** Handles in the store that this kernel made. */
  stored: ReadonlySet<string>
  /** One after the other: of two writes under way, the one with the lower label could come last. */
  storing: Promise<void>
}

interface SessionDeps {
  readonly now: () => number
  readonly log: Log
  /** The store of several kernels; absent: sessions are remembered in this process. */
  readonly shared?: Notes
  /** Tells a client of the legacy era, which began at another kernel, of changes. */
  readonly join?: (peer: Peer, params: JsonObject) => void
}

export class HttpSessions {
  readonly #deps: SessionDeps
  readonly #kept = new Map<string, Kept>()
  readonly #rows: SessionRows | undefined
  readonly #suffix: string | undefined

  constructor(deps: SessionDeps) {
    this.#deps = deps
    if (!deps.shared) return
    const kernel = randomBytes(6).toString('hex')
    this.#suffix = `-${kernel}`
    const rows = new SessionRows(deps.shared, kernel, deps.now)
    this.#rows = rows
    setInterval(() => this.#log(rows.sweep()), SWEEP_MS).unref()
  }

  /** A new session of the older versions. */
  open(client: GatewayClient): { readonly id: string; readonly peer: Peer } {
    const id = randomUUID()
    return { id, peer: this.#put(keyOf(client, id), client).peer }
  }

  /** Undefined for an id that is unknown, over or another client's. */
  find(client: GatewayClient, id: string): Peer | undefined | Promise<Peer | undefined> {
    const key = keyOf(client, id)
    return this.#rows ? this.#load(this.#rows, { key, id }, client) : this.#use(key, client)?.peer
  }

  /** A session whose stream is in this process, without a look into the store: no other kernel could answer on it. */
  findHere(client: GatewayClient, id: string): Peer | undefined {
    return this.#use(keyOf(client, id), client)?.peer
  }

  async close(client: GatewayClient, id: string): Promise<boolean> {
    const key = keyOf(client, id)
    const kept = this.#kept.get(key)
    for (const request of kept?.peer.underWay.values() ?? []) request.abort()
    const wasStored = SESSION_ID.test(id) && (await this.#rows?.read(key)) !== undefined
    if (wasStored) await this.#rows?.remove(key)
    return this.#drop(key) || wasStored
  }

  /** Of all requests without a session. Ids of requests are the client's own affair there, so none is remembered. */
  shared(client: GatewayClient): Peer | Promise<Peer> {
    if (this.#rows) return this.#loadShared(this.#rows, client)
    return withoutSession(this.#inCommon(client))
  }

  /** Whether several kernels share them: then a session is kept after every request. */
  get areShared(): boolean {
    return this.#rows !== undefined
  }

  /** Sessions, and clients without one, that were used since. */
  usedSince(time: number): number {
    const kept = [...this.#kept.values()]
    return kept.filter(({ usedAt, underWay }) => underWay > 0 || usedAt >= time).length
  }

  /** Brings the results that the arguments name and another kernel kept. */
  async bring(
    client: GatewayClient,
    id: string | undefined,
    args: Json | undefined,
  ): Promise<void> {
    const key = keyOf(client, id)
    const results = this.#kept.get(key)?.peer.session.results
    if (!this.#rows || !results) return
    for (const name of resultsNamedIn(args)) {
      const found = results.find(name) ? undefined : await this.#rows.readResult(key, name)
      if (found) results.admit(name, found.value, found.characters)
    }
  }

  /** Before the answer leaves: the client may go on at another kernel. */
  async keep(client: GatewayClient, id: string | undefined): Promise<void> {
    const key = keyOf(client, id)
    const kept = this.#kept.get(key)
    if (!this.#rows || !kept) return
    const storing = kept.storing.then(() => this.#store(key, kept))
    kept.storing = storing.catch(() => undefined)
    await storing
  }

  /** Sends what a client is told before its answer; where sessions are shared, once the label that it raised is stored. */
  telling(
    client: GatewayClient,
    id: string | undefined,
    notify: ((message: JsonObject) => void) | undefined,
  ): ((message: JsonObject) => void) | undefined {
    const key = keyOf(client, id)
    const kept = this.#rows && this.#kept.get(key)
    if (!kept || !notify) return notify
    return (message) => {
      kept.storing = kept.storing
        .then(() => this.#store(key, kept))
        .then(() => notify(message))
        .catch((error: unknown) => {
          this.#deps.log.error('A client was not told, for its session could not be stored', {
            error,
          })
        })
    }
  }

  async #store(key: string, kept: Kept): Promise<void> {
    if (!this.#rows || this.#kept.get(key) !== kept) return
    const { session, link } = kept.peer
    const made = session.results.made
    for (const name of made) {
      const value = kept.stored.has(name) ? undefined : session.results.find(name)
      if (value) await this.#rows.putResult(key, name, value, sinkOf(session))
    }
    for (const name of kept.stored) {
      if (!made.includes(name)) await this.#rows.removeResult(key, name)
    }
    kept.stored = new Set(made)
    const { label, says } = session
    const row = { label, capabilities: link.capabilities, results: made }
    await this.#rows.write(key, { ...row, ...(says !== undefined && { says }) })
  }

  async #load(
    rows: SessionRows,
    { key, id }: { readonly key: string; readonly id: string },
    client: GatewayClient,
  ): Promise<Peer | undefined> {
    const row = SESSION_ID.test(id) ? await rows.read(key) : undefined
    if (!row) {
      this.#drop(key)
      return undefined
    }
    const known = this.#use(key, client)
    const { peer } = known ?? this.#put(key, client)
    if (!known) this.#deps.join?.(peer, { capabilities: row.capabilities })
    return taken(peer, row)
  }

  async #loadShared(rows: SessionRows, client: GatewayClient): Promise<Peer> {
    const row = await rows.read(keyOf(client, undefined))
    const kept = this.#inCommon(client)
    if (row) taken(kept.peer, row)
    return withoutSession(kept)
  }

  #inCommon(client: GatewayClient): Kept {
    const key = keyOf(client, undefined)
    return this.#use(key, client) ?? this.#put(key, client)
  }

  #use(key: string, client: GatewayClient): Kept | undefined {
    const kept = this.#kept.get(key)
    if (!kept || this.#isOver(kept)) return undefined
    kept.usedAt = this.#deps.now()
    kept.peer.session.client = client
    return kept
  }

  #put(key: string, client: GatewayClient): Kept {
    const session = createSession(client, this.#suffix)
    const release = {
      [Symbol.dispose]: (): void => {
        kept.underWay -= 1
        kept.usedAt = this.#deps.now()
      },
    }
    const hold = (): Disposable => {
      kept.underWay += 1
      return release
    }
    const peer: Kept['peer'] = { session, link: new ClientLink(), underWay: new BriefMap(), hold }
    const nothing = { underWay: 0, stored: new Set<string>(), storing: Promise.resolve() }
    const kept: Kept = { peer, usedAt: this.#deps.now(), ...nothing }
    this.#drop(key)
    this.#kept.set(key, kept)
    if (this.#kept.size > MOST_SESSIONS) this.#dropOne()
    return kept
  }

  #isOver({ usedAt, underWay }: Kept): boolean {
    return underWay === 0 && this.#deps.now() - usedAt > SILENT_MS
  }

  /** The session that was used longest ago, of the client with the most: one that floods ends its own alone. */
  #dropOne(): void {
    const nameOf = ([, { peer }]: readonly [string, Kept]): string => peer.session.client.name
    for (const [key, kept] of this.#kept) if (this.#isOver(kept)) this.#drop(key)
    if (this.#kept.size <= MOST_SESSIONS) return
    // The entry without an id is what the client has read in the modern era: it ends by silence alone.
    const sessions = [...this.#kept].filter(([key, { peer }]) => {
      return key !== keyOf(peer.session.client, undefined)
    })
    const byClient = Map.groupBy(sessions, nameOf)
    const [most = []] = [...byClient.values()].sort((one, other) => other.length - one.length)
    const [oldest] = most.sort(([, one], [, other]) => one.usedAt - other.usedAt)
    if (!oldest) return
    const [key] = oldest
    this.#drop(key)
    if (this.#rows) this.#log(this.#rows.remove(key))
  }

  #drop(key: string): boolean {
    this.#kept.get(key)?.peer.link.close()
    return this.#kept.delete(key)
  }

  #log(work: Promise<void>): void {
    work.catch((error: unknown) => {
      this.#deps.log.error('Sessions that are over could not be removed', { error })
    })
  }
}

/** Not by its name alone: a later client of the same name is another, and inherits neither results nor a label. */
function keyOf({ name, createdAt }: GatewayClient, id: string | undefined): string {
  const client = `${name} ${createdAt}`
  return id === undefined ? client : `${client} ${id}`
}

function withoutSession({ peer: { session, hold } }: Kept): Peer {
  return { session, link: new ClientLink(), underWay: new BriefMap(), hold }
}

/** With what the client read and said at other kernels. */
function taken(peer: Peer, { label, says }: SessionRow): Peer {
  raiseLabel(peer.session, label)
  if (says !== undefined) peer.session.says ??= says
  return peer
}
