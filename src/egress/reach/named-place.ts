/**
 * The addresses that a tunnel may lead to besides public ones. The owner named the tunnel's host and port, and
 * databases live on private networks; but only a name of this machine can lead to it, and none to a metadata service
 * with a machine's credentials.
 */
import ipaddr from 'ipaddr.js'
import { isThisMachine, type Tunnel } from '../../text/tunnel.ts'
import type { VetParts } from './vetted-addresses.ts'

/** In the names of ipaddr.js: 10/8, 172.16/12, 192.168/16; 100.64/10; fc00::/7. Never link-local. */
const NETWORKS: ReadonlySet<string> = new Set(['private', 'carrierGradeNat', 'uniqueLocal'])

/** The metadata services of Amazon and of Alibaba, which hand out a machine's credentials, inside private networks. */
const METADATA: ReadonlySet<string> = new Set(['fd00:ec2::254', '100.100.100.200'])

export function allowedFor(to: Tunnel): Pick<VetParts, 'dangerouslyAllowAddress' | 'isNearby'> {
  if (isThisMachine(to)) return { dangerouslyAllowAddress: isLoopback }
  return { isNearby: isOnPrivateNetwork }
}

function isLoopback(address: string): boolean {
  return ipaddr.parse(address).range() === 'loopback'
}

function isOnPrivateNetwork(address: string): boolean {
  return NETWORKS.has(ipaddr.parse(address).range()) && !METADATA.has(address)
}
