/**
 * Classifies an IP address as public or not. Every address that is not plainly public is refused: private and
 * link-local networks, metadata services, and the IPv6 forms that carry an IPv4 address inside. Never looks at names,
 * and does not know this machine's own addresses.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** IANA assigns public IPv6 addresses only here; NAT64, IPv4-mapped and IPv4-compatible forms lie outside. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** Special-purpose blocks inside the public space that ipaddr.js does not classify. */
const SPECIAL_6 = [
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: an IPv4 address inside
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
].map((text) => ipaddr.IPv6.parseCIDR(text))

/** Azure's platform service (WireServer) answers here in every virtual machine, though the address looks public. */
const SPECIAL_4 = ['168.63.129.16/32'].map((text) => ipaddr.IPv4.parseCIDR(text))

/** The canonical spelling of an address, or undefined. Octal forms, short forms and zones are refused. */
export function canonicalAddress(text: string): string | undefined {
  const version = isIP(text)
  if (version === 4) return text // Node accepts only the canonical spelling
  return version === 0 || text.includes('%') ? undefined : ipaddr.parse(text).toString()
}

/** Takes any text; false for text that is not an address. */
export function isPublicAddress(text: string): boolean {
  const canonical = canonicalAddress(text)
  if (canonical === undefined) return false
  const address = ipaddr.parse(canonical)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return !SPECIAL_4.some((net) => address.match(net))
  return address.match(GLOBAL_UNICAST) && !SPECIAL_6.some((net) => address.match(net))
}
