/**
 * Addresses on which a sandbox listens in its own network namespace: one for the proxy, one for each tunnel. Each host
 * of a tunnel gets a loopback address of its own, so that two databases may have the same port. Pure.
 */
import type { LaunchSpec } from '../../kernel/sandbox-port.ts'
import { isThisMachine, PROXY_PORT, type Tunnel } from '../../text/tunnel.ts'

export interface Place {
  /** Within 127.0.0.0/8. */
  readonly address: string
  readonly port: number
  /** Absent for the proxy. */
  readonly to?: Tunnel
}

const OWN_ADDRESS = '127.0.0.1'

export function placesFor({
  networked,
  tunnels = [],
}: Pick<LaunchSpec, 'networked' | 'tunnels'>): readonly Place[] {
  const elsewhere = tunnels.filter((to) => !isThisMachine(to)).map(({ host }) => host)
  const hosts = [...new Set(elsewhere)]
  const addressOf = (to: Tunnel): string =>
    isThisMachine(to) ? OWN_ADDRESS : `127.0.1.${hosts.indexOf(to.host) + 1}`
  const places = [
    ...(networked ? [{ address: OWN_ADDRESS, port: PROXY_PORT }] : []),
    ...tunnels.map((to) => ({ address: addressOf(to), port: to.port, to })),
  ]
  // `localhost` and 127.0.0.1 are the same address, and an address can be bound only once.
  return [...new Map(places.map((place) => [`${place.address}:${place.port}`, place])).values()]
}

/** `/etc/hosts` of the sandbox: the only host names that resolve inside. */
export function hostsFile(places: readonly Place[]): string {
  const led = places.flatMap(({ address, to }) =>
    to && !isThisMachine(to) ? [`${address} ${to.host}`] : [],
  )
  return ['127.0.0.1 localhost', '::1 localhost', ...new Set(led)]
    .map((line) => `${line}\n`)
    .join('')
}
