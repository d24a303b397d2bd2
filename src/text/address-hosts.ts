/**
 * The hosts in the address of a database, as they are written into `allowed_domains`. The rest of the address, which
 * holds a password, is never kept and never quoted. Pure.
 */
import { parseTunnel } from './tunnel.ts'

/** Default ports, for an address without a port. */
const PORTS: Readonly<Record<string, number>> = {
  postgres: 5432,
  postgresql: 5432,
  mongodb: 27_017,
}

const ADDRESS = /^([a-z][a-z+]*):\/\/(?:[^/?#]*@)?([^/?#@]+)(.*)/is

export type AddressHosts =
  | { readonly kind: 'hosts'; readonly hosts: readonly string[] }
  /** Completes "it …". */
  | { readonly kind: 'fault'; readonly fault: string }

export function hostsIn(address: string): AddressHosts {
  const [, scheme = '', places = '', rest = ''] = ADDRESS.exec(address) ?? []
  // An unescaped "/", "?" or "#" has cut the password short: the host read here is a part of the password.
  if (rest.includes('@')) {
    return fault('has an "@" after its host: write "/" as %2F, "?" as %3F, "#" as %23, "@" as %40')
  }
  if (scheme.toLowerCase().endsWith('+srv')) {
    return fault(
      'has its hosts looked up, which a sandbox cannot do: take the longer one that names them',
    )
  }
  const port = PORTS[scheme.toLowerCase()]
  const hosts = places.split(',').map((place) => withPort(place.toLowerCase(), port))
  if (hosts.some(isAddress)) {
    return fault('names the address of a host, and a sandbox can only be led to a name')
  }
  const isWhole = hosts.every((host) => parseTunnel(host) !== undefined)
  return isWhole ? { kind: 'hosts', hosts } : fault('names no host that can be reached')
}

function withPort(place: string, port: number | undefined): string {
  return /:\d+$/.test(place) || port === undefined ? place : `${place}:${port}`
}

/** An IP address other than 127.0.0.1. */
function isAddress(host: string): boolean {
  return /^[\d.]+:|^\[/.test(host) && !host.startsWith('127.0.0.1:')
}

function fault(text: string): AddressHosts {
  return { kind: 'fault', fault: text }
}
