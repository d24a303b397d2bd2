/**
 * The host names that a caller may reach: exact names, and `*.x.y` for every name below `x.y` but not `x.y` itself.
 * Decides by name alone, before any DNS lookup: a lookup of a refused name would already leak that name.
 */
import { CordonError } from '../../kernel/error.ts'
import { parseHostName } from './host-name.ts'

/** Names of this machine or its network, and names that DNS does not resolve. No definition can allow them. */
const NEVER = ['.localhost', '.local', '.internal', '.home.arpa', '.arpa', '.onion'] as const

/** Takes a canonical name, as `parseHostName` returns it. */
export type AllowList = (host: string) => boolean

export function createAllowList(domains: readonly string[]): AllowList {
  const exact = new Set<string>()
  const below = new Set<string>()
  for (const domain of domains) {
    const isWildcard = domain.startsWith('*.')
    const name = parseHostName(isWildcard ? domain.slice(2) : domain)
    if (name === undefined) throw badDomain(domain)
    const names = isWildcard ? below : exact
    names.add(name)
  }
  return (host) =>
    !isNever(host) && (exact.has(host) || parentsOf(host).some((up) => below.has(up)))
}

/** For hosts of the owner's own settings: these names and no others, also where they are names of a private network. */
export function allowExactly(names: readonly string[]): AllowList {
  return (host) => names.includes(host)
}

function isNever(host: string): boolean {
  return NEVER.some((suffix) => host.endsWith(suffix))
}

/** `a.b.example.com` is below `b.example.com`, `example.com` and `com`. */
function parentsOf(host: string): string[] {
  const labels = host.split('.')
  return labels.slice(1).map((_, index) => labels.slice(index + 1).join('.'))
}

function badDomain(domain: string): CordonError {
  return new CordonError(
    'egress.bad-domain',
    { exit: 2, hint: 'Write a host name like "api.example.com" or "*.example.com"' },
    `Cannot allow ${JSON.stringify(domain)}: it is not a host name`,
  )
}
