/**
 * Which addresses a tunnel may lead to besides public ones. Its owner named the host and the port, and databases live on
 * private networks; but no name can be turned against this machine, nor lead to what hands out a machine's credentials.
 */
import ipaddr from 'ipaddr.js'
import { isThisMachine, type Tunnel } from '../kernel/tunnel.ts'
import type { VetParts } from './vetted-addresses.ts'

/** As ipaddr.js calls them: 10/8, 172.16/12, 192.168/16; 100.64/10; fc00::/7. Never link-local. */
const NETWORKS: ReadonlySet<string> = new Set(['private', 'carrierGradeNat', 'uniqueLocal'])

/** Where the machines of Amazon and of Alibaba are handed their credentials, inside private networks. */
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
