/**
 * A call of a server whose token is sealed against one that holds it, in turns: the same server in the same sandbox, the
 * same host behind TLS. The host is a process of its own: this same file, started as a program.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import { type AddressInfo, connect } from 'node:net'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { createEgress } from '../src/egress/create-egress.ts'
import type { EgressParts } from '../src/egress/create-egress.ts'
import { OWNER } from '../src/kernel/principal.ts'
import { pinPath } from '../src/home/pin-path.ts'
import { openSandbox } from '../src/sandbox/open-sandbox.ts'
import { define, openHouse } from '../test/servers/runtime/direct-sandbox.ts'
import { type BenchReport, quantile } from './report.ts'

const WARM_UP = 50
const ROUNDS = 500
const fixture = (file: string): string => fileURLToPath(new URL(`../test/${file}`, import.meta.url))
const AUTHORITY = fixture('attacks/proxy/fixtures/ca.pem')

export async function run(): Promise<BenchReport> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync('/var/tmp/cordon-bench-sealed-')
  stack.defer(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755) // servers are not root, even where Cordon is
  copyFileSync(fixture('fixtures/servers/signer.mjs'), path.join(folder, 'signer.mjs'))
  copyFileSync(AUTHORITY, path.join(folder, 'authority.pem'))
  const child = stack.adopt(fork(fileURLToPath(import.meta.url)), (host) => void host.kill())
  const [port] = (await once(child, 'message')) as [number]
  const options = { nodePath: process.execPath, cordonHome: `${folder}-home`, userHome: homedir() }
  const sandbox = stack.use(await openSandbox({ ...options, pinPath }))
  const held = define('held', 'signer')
  const plain = {
    ...held,
    command: 'node',
    args: [path.join(folder, 'signer.mjs')],
    allowedDomains: ['allowed.example'],
    auth: { TOKEN: { scheme: 'vault', name: 'token' } },
    env: { NODE_EXTRA_CA_CERTS: path.join(folder, 'authority.pem') },
    sandbox: { ...held.sandbox, readPaths: [folder] },
  } as const
  const { id } = define('sealed', 'signer')
  const sealed = { ...plain, id, env: {}, sealed: { TOKEN: ['allowed.example'] } }
  const egress = createEgress(leadTo(port))
  const rooms = { sandbox, egress, secrets: { token: 'bench-token-0123456789' } }
  const house = stack.use(await openHouse([plain, sealed], rooms))
  const call = async (server: string): Promise<number> => {
    const began = performance.now()
    const result = await house.call(server, 'get', { url: 'https://allowed.example/' })
    if (!JSON.stringify(result).includes('200 fine')) throw new Error('The call failed')
    return performance.now() - began
  }
  const samples = { held: [] as number[], sealed: [] as number[] }
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const server of ['held', 'sealed'] as const) {
      const taken = await call(server)
      if (round >= 0) samples[server].push(taken)
    }
  }
  return report(samples.held, samples.sealed)
}

function report(held: readonly number[], sealed: readonly number[]): BenchReport {
  const [a, b] = [quantile(held, 0.5), quantile(sealed, 0.5)]
  return {
    figures: [
      { name: 'call, the server holds its token p50', value: a, unit: 'ms' },
      { name: 'call, sealed p50', value: b, unit: 'ms' },
      { name: 'call, the server holds its token p99', value: quantile(held, 0.99), unit: 'ms' },
      { name: 'call, sealed p99', value: quantile(sealed, 0.99), unit: 'ms' },
    ],
    bars: [{ name: 'sealed vs held, p50', value: b / a, unit: '×', limit: 1.3, kind: 'most' }],
  }
}

/** Every host is the one on loopback. */
function leadTo(port: number): EgressParts {
  const nothing = (): void => undefined
  return {
    owner: OWNER.id,
    audit: { append: (event) => ({ ...event, seq: 1, at: '', prev: '', hash: '' }) },
    log: { info: nothing, warn: nothing, error: nothing },
    resolve: async () => ['127.0.0.1'],
    connect: () => connect({ host: '127.0.0.1', port, noDelay: true, allowHalfOpen: true }),
    dangerouslyAllowAddress: () => true,
    dangerouslyTrustAuthority: readFileSync(AUTHORITY, 'utf8'),
  }
}

async function serveHost(): Promise<void> {
  const key = readFileSync(fixture('attacks/proxy/fixtures/server-key.pem'))
  const cert = readFileSync(fixture('attacks/proxy/fixtures/server.pem'))
  const server = createServer({ key, cert }, (_request, response) => response.end('fine'))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  process.send?.((server.address() as AddressInfo).port)
}

if (import.meta.main) await serveHost()
