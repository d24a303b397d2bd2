/**
 * Whether an address is a place on the public internet. Everything that is not plainly one is refused: private and
 * link-local networks, metadata services, and the IPv6 forms that carry an IPv4 address inside.
 * It never looks at names, and it does not know this machine's own addresses.
 */
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Only here does IANA hand out public addresses; NAT64, mapped and compatible forms all lie outside. */
const GLOBAL_UNICAST = ipaddr.IPv6.parseCIDR('2000::/3')

/** What is special inside the public space, beyond what ipaddr.js knows by name. */
const SPECIAL_6 = [
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32', // documentation
  '2002::/16', // 6to4: an IPv4 address inside
  '3fff::/20', // documentation
  '5f00::/16', // segment routing
].map((text) => ipaddr.IPv6.parseCIDR(text))

/** Azure answers here, from inside every machine, though the address looks public. */
const SPECIAL_4 = ['168.63.129.16/32'].map((text) => ipaddr.IPv4.parseCIDR(text))

/** The one spelling of an address, or undefined where it is none. Octal and short forms are none; nor is a zone. */
export function canonicalAddress(text: string): string | undefined {
  const version = isIP(text)
  if (version === 4) return text // Node takes no other spelling
  return version === 0 || text.includes('%') ? undefined : ipaddr.parse(text).toString()
}

/** Takes any text; only a public address is public. */
export function isPublicAddress(text: string): boolean {
  const canonical = canonicalAddress(text)
  if (canonical === undefined) return false
  const address = ipaddr.parse(canonical)
  if (address.range() !== 'unicast') return false
  if (address instanceof ipaddr.IPv4) return !SPECIAL_4.some((net) => address.match(net))
  return address.match(GLOBAL_UNICAST) && !SPECIAL_6.some((net) => address.match(net))
}
