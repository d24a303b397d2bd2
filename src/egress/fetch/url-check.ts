/** The URL check of a guarded fetch: https to a host on the allow-list. Each redirect is checked like the first URL. */
import type { GuardedFetchOptions } from '../../ports/egress-port.ts'
import { CordonError } from '../../kernel/error.ts'
import { createAllowList } from '../reach/allow-list.ts'
import { parseHostName } from '../reach/host-name.ts'

/** The names of this machine, as a URL spells them, with their addresses; they are never looked up. */
export const LOOPBACK: ReadonlyMap<string, readonly string[]> = new Map([
  ['localhost', ['127.0.0.1', '::1']],
  ['127.0.0.1', ['127.0.0.1']],
  ['[::1]', ['::1']],
])

/** Returns the URL with its host in canonical form, or throws if the URL is not allowed. */
export type CheckUrl = (url: URL) => URL

export function createUrlCheck(options: GuardedFetchOptions): CheckUrl {
  const mayLoop = options.dangerouslyAllowHttp === true
  const isLoopEntry = (domain: string): boolean => mayLoop && LOOPBACK.has(domain)
  const loopback = new Set(options.allowedDomains.filter(isLoopEntry))
  const allows = createAllowList(options.allowedDomains.filter((domain) => !isLoopEntry(domain)))
  return (url) => {
    if (url.username !== '' || url.password !== '')
      throw notAllowed(url, 'its address has a user name')
    if (url.protocol === 'http:' && loopback.has(url.hostname)) return url
    if (url.protocol !== 'https:') throw notAllowed(url, 'the connection would not be encrypted')
    if (loopback.has(url.hostname)) return url
    const host = parseHostName(url.hostname)
    if (host === undefined || !allows(host)) throw notAllowed(url, 'the host is not on the list')
    const checked = new URL(url)
    checked.hostname = host
    return checked
  }
}

/** For a server behind a local socket: the only host is `localhost`. */
export const checkLocalUrl: CheckUrl = (url) => {
  if (url.origin === 'http://localhost') return url
  throw notAllowed(url, 'the server is on this machine')
}

/** Names only the host of the URL: a path or a query may hold a secret. */
function notAllowed({ hostname }: URL, why: string): CordonError {
  return new CordonError(
    'egress.not-allowed',
    { exit: 3, hint: 'Check the address, and the allowed_domains in `cordon mcp show NAME`' },
    `Cannot connect to ${JSON.stringify(hostname)}: ${why}`,
  )
}
