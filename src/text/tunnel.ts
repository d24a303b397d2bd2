/**
 * A host and a port that a server reaches directly, as databases are reached, and not through its proxy. In
 * `allowed_domains` it stands as `db.example.com:5432`: one host, one port, written by the owner. Pure.
 */
export interface Tunnel {
  readonly host: string
  readonly port: number
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** The last label begins with a letter: no resolver reads such a name as a number. */
const NAME = `(?:${LABEL}\\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?`
const TUNNEL = new RegExp(`^(127\\.0\\.0\\.1|${NAME}):([1-9]\\d{3,4})$`)

const LONGEST = 255
/** Nobody in a sandbox may listen below it. */
const LOWEST_PORT = 1024
const HIGHEST_PORT = 65_535
/** Where every sandbox listens for what goes through the proxy. */
export const PROXY_PORT = 3128

export function parseTunnel(text: string): Tunnel | undefined {
  if (text.length > LONGEST) return undefined
  const [, host = '', digits] = TUNNEL.exec(text.toLowerCase()) ?? []
  const port = Number(digits)
  const isPossible = port >= LOWEST_PORT && port <= HIGHEST_PORT && port !== PROXY_PORT
  return isPossible ? { host, port } : undefined
}

/** An allowed host is a name, or a name with a port. */
export function hasPort(domain: string): boolean {
  return domain.includes(':')
}

/** Those of a list of allowed hosts that are tunnels. */
export function tunnelsIn(domains: readonly string[]): readonly Tunnel[] {
  return domains.filter(hasPort).flatMap((domain) => parseTunnel(domain) ?? [])
}

/** Those that are reached through the proxy. */
export function namesIn(domains: readonly string[]): readonly string[] {
  return domains.filter((domain) => !hasPort(domain))
}

/** The machine that Cordon runs on, by the two names that say so. */
export function isThisMachine({ host }: Tunnel): boolean {
  return host === 'localhost' || host === '127.0.0.1'
}
