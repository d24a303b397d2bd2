/**
 * The one room that opens sockets outward. Each server gets a proxy of its own that lets it out to the hosts on its
 * list; Cordon's own calls get a guarded fetch. Neither ever dials an address that was not vetted. Servers that listen on
 * this machine are reached through their sockets in the file system, and through nothing else.
 */
import type { Egress } from '../kernel/egress-port.ts'
import type { Audit, Log } from '../kernel/ports.ts'
import { createAllowList } from './allow-list.ts'
import { type Connect, connectDirectly } from './dial.ts'
import { checkLocalUrl, createUrlCheck } from './fetch-target.ts'
import { createGuardedFetch } from './guarded-fetch.ts'
import { DEFAULT_LIMITS, type EgressLimits } from './limits.ts'
import { connectLocal, createLocalAgent } from './local-place.ts'
import { createRefusals } from './refusals.ts'
import { createServerProxy } from './server-proxy.ts'
import { createTokenBucket } from './token-bucket.ts'
import { createVet, type Resolve, type Vet } from './vetted-addresses.ts'
import { createVettedAgent } from './vetted-agent.ts'

export interface EgressParts {
  readonly audit: Pick<Audit, 'append'>
  readonly log: Log
  readonly now?: () => number
  /** Names to addresses; the system's resolver unless a test has its own. */
  readonly resolve?: Resolve
  readonly limits?: Partial<EgressLimits>
  /** How a vetted address is dialled; a test leads it to a server of its own. */
  readonly connect?: Connect
  /** Addresses that are allowed although they are not public: the owner's own npm registry, and a test's servers. */
  readonly dangerouslyAllowAddress?: (address: string) => boolean
  /** A certificate authority (PEM) that guarded fetches trust besides the usual ones; only tests have one. */
  readonly dangerouslyTrustAuthority?: string
}

export function createEgress(parts: EgressParts): Egress {
  const { audit, log, now = Date.now, connect = connectDirectly } = parts
  const limits = { ...DEFAULT_LIMITS, ...parts.limits }
  const newVet = (): Vet => createVet({ ...parts, now, timeoutMs: limits.connectMs })
  return {
    guard(server, { allowedDomains }, connections, onBlocked) {
      const allows = createAllowList(allowedDomains)
      const mayStart = createTokenBucket(limits.newPerSecond, now)
      const refusals = createRefusals({ server, audit, log, now, onBlocked })
      const shared = { server, audit, log, now, limits }
      const rules = { allows, mayStart, vet: newVet(), connect }
      return createServerProxy({ ...shared, ...rules, refusals }, connections)
    },
    createFetch(options) {
      const agent = createVettedAgent({ ...parts, vet: newVet(), connect, limits }, options)
      return createGuardedFetch(createUrlCheck(options), agent)
    },
    connectLocal: (place, signal) => connectLocal(place, limits, signal),
    createLocalFetch: (place) => createGuardedFetch(checkLocalUrl, createLocalAgent(place, limits)),
  }
}
