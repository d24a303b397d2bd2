/**
 * A call of a server whose token is sealed against one that holds it, as shipped: both are defined in a home, started by
 * the program in their sandboxes, lent the token by its vault, and called through the one door with the audit log on.
 * The two take turns, in either order; a round of both gives one ratio. The host behind TLS is a process of its own.
 */
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Api } from '../src/api/contract.ts'
import type { Outside } from '../src/house/create-surface.ts'
import { openHouse } from '../src/house/open-house.ts'
import { AUTHORITY, openHost } from './host-behind-tls.ts'
import { type BenchReport, quantile } from './report.ts'

const WARM_UP = 500
const ROUNDS = 3000
const SERVERS = ['held', 'sealed'] as const
type Server = (typeof SERVERS)[number]
const fixture = (file: string): string => fileURLToPath(new URL(`../test/${file}`, import.meta.url))

export async function run(): Promise<BenchReport> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync('/var/tmp/cordon-bench-sealed-')
  stack.defer(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755) // servers are not root, even where Cordon is
  const shown = path.join(folder, 'server')
  mkdirSync(shown)
  copyFileSync(fixture('fixtures/servers/signer.mjs'), path.join(shown, 'signer.mjs'))
  copyFileSync(AUTHORITY, path.join(shown, 'authority.pem'))
  const homePath = path.join(folder, 'home')
  mkdirSync(path.join(homePath, 'mcp'), { recursive: true, mode: 0o700 })
  for (const server of SERVERS) define(homePath, server, shown)
  const port = await openHost(stack)
  const settings = { version: '0', homePath, port: 0, page: false, entry: '', environment: {} }
  const house = { ...settings, databaseUrl: undefined, outside: leadTo(port) }
  const kernel = stack.use(await openHouse(house))
  await kernel.call('vault.init', {})
  await kernel.call('vault.set', { name: 'token', value: 'bench-token-0123456789' })
  return report(await inTurns(kernel))
}

/** The one that holds its token is told to trust the host's authority, as the proxy is for the other. */
function define(homePath: string, server: Server, shown: string): void {
  const args = JSON.stringify([path.join(shown, 'signer.mjs')])
  const sealed = server === 'sealed' ? ', sealed = true' : ''
  const authority = `NODE_EXTRA_CA_CERTS = ${JSON.stringify(path.join(shown, 'authority.pem'))}`
  const lines = [
    ['allowed_domains = ["allowed.example"]'],
    ['[server]', 'command = "node"', `args = ${args}`],
    ['[auth]', `TOKEN = { ref = "vault:token"${sealed} }`],
    server === 'held' ? ['[env]', authority] : [],
    ['[sandbox]', `read_paths = [${JSON.stringify(shown)}]`],
    ['[tools.get]', 'semantics = "read"', ''], // a read needs no approval; nobody is there to give one
  ].flat()
  writeFileSync(path.join(homePath, 'mcp', `${server}.toml`), lines.join('\n'), { mode: 0o600 })
}

type Samples = Readonly<Record<Server, number[]>>

async function inTurns(kernel: Api): Promise<Samples> {
  const taken: Samples = { held: [], sealed: [] }
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    // The one that is called second finds warmer caches.
    for (const server of round % 2 === 0 ? SERVERS : SERVERS.toReversed()) {
      const ms = await time(kernel, server)
      if (round >= 0) taken[server].push(ms)
    }
  }
  return taken
}

async function time(kernel: Api, server: Server): Promise<number> {
  const began = performance.now()
  const args = { url: 'https://allowed.example/' }
  const result = await kernel.call('mcp.call', { server, tool: 'get', args })
  if (!JSON.stringify(result).includes('200 fine')) throw new Error(JSON.stringify(result))
  return performance.now() - began
}

/** The median of the ratios of all rounds: a moment at which the machine is busy changes both times of its round. */
function report({ held, sealed }: Samples): BenchReport {
  const ratios = held.map((ms, round) => (sealed[round] ?? Number.NaN) / ms)
  return {
    figures: [
      { name: 'call, the server holds its token p50', value: quantile(held, 0.5), unit: 'ms' },
      { name: 'call, sealed p50', value: quantile(sealed, 0.5), unit: 'ms' },
      { name: 'call, the server holds its token p99', value: quantile(held, 0.99), unit: 'ms' },
      { name: 'call, sealed p99', value: quantile(sealed, 0.99), unit: 'ms' },
    ],
    bars: [
      {
        name: 'sealed vs held, p50 of the rounds',
        value: quantile(ratios, 0.5),
        unit: '×',
        limit: 1.3,
        kind: 'most',
      },
    ],
  }
}

/** Every host is the one on loopback. */
function leadTo(port: number): Outside {
  return {
    resolve: async () => ['127.0.0.1'],
    connect: () => connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true }),
    dangerouslyAllowAddress: () => true,
    dangerouslyTrustAuthority: readFileSync(AUTHORITY, 'utf8'),
  }
}
