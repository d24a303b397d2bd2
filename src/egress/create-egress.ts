/**
 * The only room that opens sockets outward. Each server gets a proxy of its own that admits the hosts on its
 * allow-list, and a tunnel to each host and port on that list; Cordon's own requests get a guarded fetch. None ever
 * dials an address that was not vetted. Servers that listen on this machine are reached only through a socket file.
 */
import type {
  BlockedAttempt,
  Egress,
  EgressRules,
  Seal,
  ServerProxy,
} from '../ports/egress-port.ts'
import { getCACertificates } from 'node:tls'
import type { Audit, Log } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { ConnectionSource } from '../kernel/sandbox-port.ts'
import type { ServerId } from '../kernel/server-id.ts'
import { allowExactly, createAllowList } from './reach/allow-list.ts'
import { type Connect, connectDirectly } from './reach/dial.ts'
import { checkLocalUrl, createUrlCheck } from './fetch/url-check.ts'
import { createGuardedFetch } from './fetch/guarded-fetch.ts'
import { DEFAULT_LIMITS, type EgressLimits } from './proxy/limits.ts'
import { connectLocal, createLocalAgent } from './fetch/local-place.ts'
import { createRefusals } from './proxy/refusals.ts'
import { allowedFor, isChosenPlace } from './reach/named-place.ts'
import { serveConnection } from './proxy/serve-connection.ts'
import { serveTunnel } from './proxy/serve-tunnel.ts'
import { createServerProxy, type ProxyParts } from './proxy/server-proxy.ts'
import { createPace } from '../text/pace.ts'
import { createRateLimit } from '../text/rate-limit.ts'
import { createTunnels } from './proxy/tunnels.ts'
import { createSeal } from './seal/create-seal.ts'
import { sealRules } from './seal/seal-rules.ts'
import type { Sealing } from './seal/serve-sealed.ts'
import { createVet, type Resolve, type Vet, type VetParts } from './reach/vetted-addresses.ts'
import { createVettedAgent } from './fetch/vetted-agent.ts'

export interface EgressParts {
  /** The principal whose servers reach out, for the audit log. */
  readonly owner: PrincipalId
  readonly audit: Pick<Audit, 'append'>
  readonly log: Log
  readonly now?: () => number
  /** Resolves a name to addresses; the system's resolver, except in tests. */
  readonly resolve?: Resolve
  readonly limits?: Partial<EgressLimits>
  /** Called when connections of a server were opened or closed: once for all of half a second. */
  readonly onTraffic?: () => void
  /** Dials a vetted address; a test redirects it to a server of its own. */
  readonly connect?: Connect
  /** Addresses that are allowed although they are not public: servers of tests. */
  readonly dangerouslyAllowAddress?: (address: string) => boolean
  /** A certificate authority (PEM) that guarded fetches trust besides the default ones; only for tests. */
  readonly dangerouslyTrustAuthority?: string
}

export function createEgress(parts: EgressParts): Egress {
  const { owner, audit, log, now = Date.now, connect = connectDirectly } = parts
  const limits = { ...DEFAULT_LIMITS, ...parts.limits }
  const newVet = (rules: Omit<VetParts, 'now' | 'timeoutMs'> = parts): Vet =>
    createVet({ ...rules, now, timeoutMs: limits.connectMs })
  const { newPerSecond: perSecond } = limits
  const newLimit = () => createRateLimit({ atOnce: perSecond, perSecond }, now)
  const openWay = (
    server: ServerId,
    connections: ConnectionSource,
    onBlocked: (attempt: BlockedAttempt) => void,
    serve: ProxyParts['serve'],
  ): ServerProxy => {
    const told = { owner, server, audit, log, now }
    const refusals = createRefusals({ ...told, onBlocked })
    const tunnels = createTunnels({ ...told, onTraffic: parts.onTraffic ?? (() => undefined) })
    return createServerProxy({ server, log, limits, refusals, tunnels, serve }, connections)
  }
  return {
    guard(server, wanted, connections, onBlocked) {
      const { vetting, ...way } = wayFor({ ...parts, limits }, wanted, server)
      const rules = { ...way, mayStart: newLimit(), vet: newVet(vetting), connect, limits }
      return openWay(server, connections, onBlocked, (client, told, signal) =>
        serveConnection(client, { ...rules, ...told }, signal),
      )
    },
    createSeal: (credentials) => createSeal(credentials, now),
    tunnel(server, source, onBlocked) {
      const { to } = source
      const { resolve } = parts
      const vet = newVet({ ...(resolve && { resolve }), ...allowedFor(to) })
      const rules = { mayStart: newLimit(), vet, connect, limits }
      return openWay(server, source, onBlocked, (client, told, signal) =>
        serveTunnel(client, to, { ...rules, ...told }, signal),
      )
    },
    createFetch(options) {
      const agent = createVettedAgent({ ...parts, vet: newVet(), connect, limits }, options)
      return createGuardedFetch(createUrlCheck(options), agent)
    },
    connectLocal: (place, signal) => connectLocal(place, limits, signal),
    createLocalFetch: (place) => createGuardedFetch(checkLocalUrl, createLocalAgent(place, limits)),
  }
}

interface WayParts extends EgressParts {
  readonly limits: EgressLimits
}

/** Which names, and at which addresses. */
function wayFor(parts: WayParts, { allowedDomains, chosen, seal }: EgressRules, server: ServerId) {
  const sealing = seal && sealingFor(parts, seal, server)
  if (!chosen) {
    return { allows: createAllowList(allowedDomains), vetting: parts, ...(sealing && { sealing }) }
  }
  const vetting = chosen.isPublicOnly ? parts : { ...parts, dangerouslyAllowAddress: isChosenPlace }
  return { allows: allowExactly(allowedDomains), vetting, chosen }
}

function sealingFor(
  { dangerouslyTrustAuthority: extra, limits }: WayParts,
  { authority, credentials }: Seal,
  server: ServerId,
): Sealing {
  const names = credentials.map(({ name }) => name).join(' ')
  const trust = extra === undefined ? {} : { ca: [...getCACertificates('default'), extra] }
  const unseal = `cordon mcp edit ${server} --unseal ${names}`
  const pace = createPace(limits.sealedRequests)
  const rules = sealRules(credentials)
  return { authority, rules, unseal, heard: new Set(), owedMs: () => pace(1), ...trust }
}
