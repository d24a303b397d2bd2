/**
 * The addresses besides public ones at which a host may be that the owner named: the host of a tunnel, since databases
 * live on private networks, and a host of their own settings, such as their npm registry or their proxy. No name leads
 * to a metadata service with a machine's credentials, and only a name of this machine leads a tunnel to it.
 */
import ipaddr from 'ipaddr.js'
import { isThisMachine, type Tunnel } from '../../text/tunnel.ts'
import type { VetParts } from './vetted-addresses.ts'

/** In the names of ipaddr.js: 10/8, 172.16/12, 192.168/16; 100.64/10; fc00::/7. Never link-local. */
const NETWORKS: ReadonlySet<string> = new Set(['private', 'carrierGradeNat', 'uniqueLocal'])

/** The services of Amazon, Alibaba and Azure that hand out a machine's credentials, at addresses that look ordinary. */
const METADATA: ReadonlySet<string> = new Set(['fd00:ec2::254', '100.100.100.200', '168.63.129.16'])

export function allowedFor(to: Tunnel): Pick<VetParts, 'dangerouslyAllowAddress' | 'isNearby'> {
  if (isThisMachine(to)) return { dangerouslyAllowAddress: isLoopback }
  return { isNearby: isOnPrivateNetwork }
}

/** Besides those: public ones, this machine, and test networks (203.0.113/24), which closed networks do use. */
const CHOSEN: ReadonlySet<string> = new Set([...NETWORKS, 'unicast', 'loopback', 'reserved'])

/**
 * For a host of the owner's settings, which may also be this machine under any name. Never link-local, nor a form of
 * IPv6 that carries another address inside.
 */
export function isChosenPlace(address: string): boolean {
  return CHOSEN.has(ipaddr.parse(address).range()) && !METADATA.has(address)
}

function isLoopback(address: string): boolean {
  return ipaddr.parse(address).range() === 'loopback'
}

function isOnPrivateNetwork(address: string): boolean {
  return NETWORKS.has(ipaddr.parse(address).range()) && !METADATA.has(address)
}
