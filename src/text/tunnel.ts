/**
 * A host and port that a server reaches directly instead of through its proxy, such as a database. In `allowed_domains`
 * it is written `db.example.com:5432`: one host, one port, by the owner. Pure.
 */
export interface Tunnel {
  readonly host: string
  readonly port: number
}

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?'
/** The last label begins with a letter, so no resolver reads the name as an IP address. */
const NAME = `(?:${LABEL}\\.)*[a-z](?:[a-z0-9-]{0,61}[a-z0-9])?`
const TUNNEL = new RegExp(`^(127\\.0\\.0\\.1|${NAME}):([1-9]\\d{3,4})$`)

const LONGEST = 255
/** Ports below 1024 are privileged: a sandbox cannot listen on them. */
const LOWEST_PORT = 1024
const HIGHEST_PORT = 65_535
/** The port on which every sandbox listens for connections to its proxy. */
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

/** The allowed hosts that are tunnels. */
export function tunnelsIn(domains: readonly string[]): readonly Tunnel[] {
  return domains.filter(hasPort).flatMap((domain) => parseTunnel(domain) ?? [])
}

/** The allowed hosts that are reached through the proxy. */
export function namesIn(domains: readonly string[]): readonly string[] {
  return domains.filter((domain) => !hasPort(domain))
}

/** The machine that Cordon runs on, under either of its two names. */
export function isThisMachine({ host }: Tunnel): boolean {
  return host === 'localhost' || host === '127.0.0.1'
}
