/**
 * One proxy or tunnel of one server: accepts the connections that come out of its sandbox, counts them, and ends them
 * all when it is disposed. A failure of one connection never affects another, nor another server. A server that opens them
 * faster than its limits has to wait for its answers; one that does not wait loses the listener, since accepting a
 * connection takes time from all other servers, whatever becomes of it.
 */
import { setTimeout as delay } from 'node:timers/promises'
import type { Duplex } from 'node:stream'
import type { ServerProxy } from '../../ports/egress-port.ts'
import type { Log } from '../../kernel/ports.ts'
import type { ConnectionSource } from '../../kernel/sandbox-port.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import { createPace } from '../../text/pace.ts'
import { createRateLimit } from '../../text/rate-limit.ts'
import type { EgressLimits } from './limits.ts'
import { CUT_OFF, type Refusal, type Refusals } from './refusals.ts'
import type { OpenTunnel, Tunnels } from './tunnels.ts'
import { turnAway } from './turn-away.ts'

export interface ProxyParts {
  readonly server: ServerId
  readonly log: Log
  readonly limits: EgressLimits
  readonly refusals: Refusals
  readonly tunnels: Tunnels
  /** Serves one connection from the first byte to the last. */
  readonly serve: (client: Duplex, told: Told, signal: AbortSignal) => Promise<void>
}

/** Called at most once each for a connection. */
export interface Told {
  readonly refused: (refusal: Refusal) => void
  readonly opened: (tunnel: OpenTunnel) => void
}

/** Owns the refusals, the tunnels and every connection of the source. */
export function createServerProxy(parts: ProxyParts, connections: ConnectionSource): ServerProxy {
  const { refusals, tunnels, limits, log, server } = parts
  const open = new Map<Duplex, Promise<void>>()
  const stop = new AbortController()
  const refused = (refusal: Refusal): void => refusals.tell(refusal)
  const owedMs = createPace(limits.connections)
  const turnedAway = new Set<Duplex>()
  const sendAway = createSendAway(parts, connections, turnedAway)

  const serve = async (client: Duplex): Promise<void> => {
    let tunnel: Disposable | undefined // not `using`, whose stack is slow to make and to unwind
    const opened = (found: OpenTunnel): void => void (tunnel = tunnels.open(found))
    try {
      const waitMs = owedMs(1)
      if (waitMs > 0) await delay(waitMs, undefined, { signal: stop.signal }).catch(() => undefined)
      await parts.serve(client, { refused, opened }, stop.signal)
    } catch (error) {
      log.error('A proxy connection ended because of a bug', { server, error })
    } finally {
      client.destroy()
      open.delete(client)
      tunnel?.[Symbol.dispose]()
    }
  }

  connections.onConnection((client) => {
    prepare(client)
    if (stop.signal.aborted) client.destroy()
    else if (open.size >= limits.tunnels) void sendAway(client)
    else open.set(client, serve(client))
  })

  return {
    get blocked() {
      return refusals.blocked
    },
    get reached() {
      return tunnels.reached
    },
    async [Symbol.asyncDispose]() {
      if (stop.signal.aborted) return
      stop.abort()
      for (const client of [...open.keys(), ...turnedAway]) client.destroy()
      await Promise.all(open.values())
      refusals[Symbol.dispose]()
      tunnels[Symbol.dispose]()
    },
  }
}

/** For connections above the limit; closes the listener to a server that has more of them than may be turned away. */
function createSendAway(
  { refusals, limits }: ProxyParts,
  connections: ConnectionSource,
  turnedAway: Set<Duplex>,
): (client: Duplex) => Promise<void> {
  const mayBeTurnedAway = createRateLimit(limits.turnedAway)
  return async (client) => {
    const isCutOff = !mayBeTurnedAway()
    const reason = isCutOff ? CUT_OFF : 'too many connections'
    refusals.tell({ kind: 'blocked', host: '(no name)', reason })
    if (isCutOff) connections.close()
    if (isCutOff || turnedAway.size >= limits.tunnels) {
      client.destroy()
      return
    }
    turnedAway.add(client)
    await turnAway(client, 503, reason)
    turnedAway.delete(client)
  }
}

/** A reset by the client is not an error, but an unhandled `error` event would end the process. */
function prepare(client: Duplex): void {
  client.on('error', () => undefined)
  client.allowHalfOpen = true
}
