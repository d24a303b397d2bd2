/**
 * The sessions of clients over HTTP. A client of the older versions gets one with `initialize`, under a random id that only
 * its own token opens. One of the modern era has no sessions: its requests share what the gateway remembers of the client,
 * until it has been silent for an hour.
 */
import { randomUUID } from 'node:crypto'
import type { GatewayClient } from '../ports/client-port.ts'
import type { Peer } from './answer-message.ts'
import { ClientLink } from './client-link.ts'
import { createSession } from './client-session.ts'

const MOST_SESSIONS = 1000
const SILENT_MS = 3_600_000

interface Kept {
  readonly peer: Peer
  usedAt: number
}

export class HttpSessions {
  readonly #now: () => number
  readonly #kept = new Map<string, Kept>()

  constructor(now: () => number) {
    this.#now = now
  }

  /** A new session of the older versions. */
  open(client: GatewayClient): { readonly id: string; readonly peer: Peer } {
    const id = randomUUID()
    return { id, peer: this.#put(`${client.name} ${id}`, client) }
  }

  /** Undefined for an id that is unknown, over or another client's. */
  find(client: GatewayClient, id: string): Peer | undefined {
    return this.#use(`${client.name} ${id}`, client)
  }

  close(client: GatewayClient, id: string): boolean {
    const kept = this.#kept.get(`${client.name} ${id}`)
    for (const request of kept?.peer.underWay.values() ?? []) request.abort()
    kept?.peer.link.close()
    return this.#kept.delete(`${client.name} ${id}`)
  }

  /** Of all requests without a session. Ids of requests are the client's own affair there, so none is remembered. */
  shared(client: GatewayClient): Peer {
    const { session } = this.#use(client.name, client) ?? this.#put(client.name, client)
    return { session, link: new ClientLink(), underWay: new Map() }
  }

  /** Sessions, and clients without one, that were used since. */
  usedSince(time: number): number {
    return [...this.#kept.values()].filter(({ usedAt }) => usedAt >= time).length
  }

  #use(key: string, client: GatewayClient): Peer | undefined {
    const kept = this.#kept.get(key)
    if (!kept || this.#now() - kept.usedAt > SILENT_MS) return undefined
    kept.usedAt = this.#now()
    kept.peer.session.client = client
    return kept.peer
  }

  #put(key: string, client: GatewayClient): Peer {
    const peer: Peer = {
      session: createSession(client),
      link: new ClientLink(),
      underWay: new Map(),
    }
    this.#drop(key)
    this.#kept.set(key, { peer, usedAt: this.#now() })
    const [oldest] = this.#kept.keys()
    if (this.#kept.size > MOST_SESSIONS && oldest !== undefined) this.#drop(oldest)
    return peer
  }

  #drop(key: string): void {
    this.#kept.get(key)?.peer.link.close()
    this.#kept.delete(key)
  }
}
