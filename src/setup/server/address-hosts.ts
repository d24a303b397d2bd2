/**
 * The hosts in the address of a database, as they are written into `allowed_domains`. Of the rest, which holds a
 * password, nothing is kept and nothing is said. Pure.
 */
import { parseTunnel } from '../../text/tunnel.ts'

/** Where a database listens when its address does not say. */
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
  // Then the password has ended too early, and what was read is not the host but a part of it.
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

/** Anything but this machine's own. */
function isAddress(host: string): boolean {
  return /^[\d.]+:|^\[/.test(host) && !host.startsWith('127.0.0.1:')
}

function fault(text: string): AddressHosts {
  return { kind: 'fault', fault: text }
}
