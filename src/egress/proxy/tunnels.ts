/**
 * Counts the connections that a proxy let through, by host and port. The first that ends is recorded at once, the rest are
 * added up and recorded every minute, so that a server that connects all day fills neither the memory nor the audit log.
 * The bytes are counted by the relay: here is no work for a byte, and of a request there is nothing to see.
 */
import type { Audit, Log } from '../../kernel/ports.ts'
import type { PrincipalId } from '../../kernel/principal.ts'
import type { ServerId } from '../../kernel/server-id.ts'
import type { ReachedHost } from '../../text/reached-host.ts'
import type { HostPort } from '../reach/host-name.ts'
import type { Carried } from './relay.ts'

export interface OpenTunnel extends HostPort {
  readonly address: string
  /** Grows while the connection lasts. */
  readonly carried: Carried
}

export interface Tunnels extends Disposable {
  readonly reached: readonly ReachedHost[]
  /** To be disposed when the connection is closed. */
  open(tunnel: OpenTunnel): Disposable
}

export interface TunnelsParts {
  readonly owner: PrincipalId
  readonly server: ServerId
  readonly audit: Pick<Audit, 'append'>
  readonly log: Log
  readonly now: () => number
  /** Called at most twice a second. */
  readonly onTraffic: () => void
}

/** The most hosts counted separately; further ones share one count. A wildcard lets a server make up names. */
const MOST_HOSTS = 64
const OTHERS = '(other hosts)'
const WRITE_EVERY_MS = 60_000
const TELL_EVERY_MS = 500

interface Counted {
  readonly place: Pick<ReachedHost, 'host' | 'port'>
  readonly open: Set<Carried>
  connections: number
  /** Of the connections that are closed. */
  up: number
  down: number
  lastAt: number
  /** Closed since the last record; undefined: the next one is recorded at once. */
  unwritten: { more: number; up: number; down: number } | undefined
}

export function createTunnels(parts: TunnelsParts): Tunnels {
  const hosts = new Map<string, Counted>()
  const tell = createTeller(parts)
  const countFor = ({ host, port }: HostPort): Counted => {
    const own = `${host}:${port}`
    const isRoom = hosts.has(own) || hosts.size < MOST_HOSTS
    const key = isRoom ? own : OTHERS
    const known = hosts.get(key) ?? newCount(isRoom ? { host, port } : { host: OTHERS })
    hosts.set(key, known)
    return known
  }
  const writeSums = (): void => {
    for (const counted of hosts.values()) {
      const { place, unwritten } = counted
      const isBusy = unwritten !== undefined && unwritten.more > 0
      if (isBusy) write(parts, { ...place, ...unwritten })
      counted.unwritten = isBusy ? { more: 0, up: 0, down: 0 } : undefined // a quiet minute: news again
    }
  }
  const timer = setInterval(writeSums, WRITE_EVERY_MS).unref()
  return {
    get reached() {
      return [...hosts.values()].map(showCounted)
    },
    open(tunnel) {
      const counted = countFor(tunnel)
      const openedAt = parts.now()
      counted.open.add(tunnel.carried)
      counted.connections += 1
      counted.lastAt = openedAt
      tell.soon()
      return {
        [Symbol.dispose]() {
          close(parts, counted, tunnel, openedAt)
          tell.soon()
        },
      }
    },
    [Symbol.dispose]() {
      clearInterval(timer)
      tell[Symbol.dispose]()
      writeSums()
    },
  }
}

function newCount(place: Counted['place']): Counted {
  const none = { connections: 0, up: 0, down: 0, lastAt: 0, unwritten: undefined }
  return { place, open: new Set(), ...none }
}

function close(
  parts: TunnelsParts,
  counted: Counted,
  { address, carried }: OpenTunnel,
  openedAt: number,
): void {
  const { up, down } = carried
  counted.open.delete(carried)
  counted.up += up
  counted.down += down
  counted.lastAt = parts.now()
  const { unwritten, place } = counted
  if (unwritten) {
    unwritten.more += 1
    unwritten.up += up
    unwritten.down += down
    return
  }
  counted.unwritten = { more: 0, up: 0, down: 0 }
  write(parts, { ...place, address, up, down, ms: counted.lastAt - openedAt })
}

function showCounted({ place, open, connections, lastAt, ...sum }: Counted): ReachedHost {
  const all = [sum, ...open]
  return {
    ...place,
    connections,
    open: open.size,
    up: all.reduce((total, { up }) => total + up, 0),
    down: all.reduce((total, { down }) => total + down, 0),
    lastAt: new Date(lastAt).toISOString(),
  }
}

function write(
  { owner, server, audit, log }: TunnelsParts,
  details: Readonly<Record<string, string | number>>,
): void {
  try {
    audit.append({ kind: 'egress.tunnel', principal: owner, subject: server, details })
  } catch (error) {
    log.error('Cannot record a connection', { server, error })
  }
}

/** Debounces: all changes within half a second are told once. */
function createTeller({ onTraffic }: TunnelsParts): Disposable & { soon(): void } {
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    soon() {
      timer ??= setTimeout(() => {
        timer = undefined
        onTraffic()
      }, TELL_EVERY_MS).unref()
    },
    [Symbol.dispose]() {
      if (timer === undefined) return
      clearTimeout(timer)
      onTraffic()
    },
  }
}
