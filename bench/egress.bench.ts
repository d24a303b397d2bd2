/**
 * The domain proxy as shipped against a bare Node proxy, alone and behind a socat bridge: new tunnels through each take
 * turns in one run. The proxy has its default limits, the real audit log, and the listeners that a sandbox makes in its
 * own network namespace; the client is a program inside that sandbox, and the bare proxy listens there too. Each of many
 * servers has a proxy of its own, so that all together open thousands of tunnels a second and none more than it may.
 * Stand-ins: the resolver, and the host outside, which is an echo on loopback in a second process.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { homedir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { openAudit } from '../src/audit/open-audit.ts'
import { createEgress, type EgressParts } from '../src/egress/create-egress.ts'
import { helloFor } from '../src/egress/proxy/test-hello.ts'
import { pinPath } from '../src/home/pin-path.ts'
import type { Audit, Log, Redactor } from '../src/kernel/ports.ts'
import { OWNER } from '../src/kernel/principal.ts'
import type { SandboxedProcess } from '../src/kernel/sandbox-port.ts'
import { parseServerId } from '../src/kernel/server-id.ts'
import { never } from '../src/kernel/test-never.ts'
import { openSandbox } from '../src/sandbox/open-sandbox.ts'
import { DEFAULT_LIMITS } from '../src/text/server-limits.ts'
import { PROXY_PORT } from '../src/text/tunnel.ts'
import { createBare, openBridge, type Way } from './egress/bare-proxy.ts'
import { type BenchReport, quantile } from './report.ts'

const ROUNDS = 1500
const WARM_UP = 500
const CROWD_MS = 4000
const BLOCKED = 10_000
const HOST = 'bench.example'
/** Each may open 20 tunnels a second: enough servers for 10,000 a second together. */
const SERVERS = 500
const FIRST_PORT = 4000
const BARE_PORT = FIRST_PORT + SERVERS
/** Takes connections without a pause, so that ten thousand attempts do not take minutes. */
const BLOCKED_PORT = BARE_PORT + 1
const NO_PAUSE = { atOnce: 1e6, perSecond: 1e6 }

type Order =
  | { readonly kind: 'take'; readonly way: Way }
  | { readonly kind: 'crowd'; readonly ways: readonly Way[]; readonly ms: number }
  | { readonly kind: 'blocked'; readonly way: Way; readonly count: number }

type Client = (order: Order) => Promise<number>

const log: Log = { info: () => {}, warn: () => {}, error: () => {} }
const redactor: Redactor = {
  redact: (text) => text,
  stream: () => ({ push: (chunk) => Buffer.from(chunk), end: () => Buffer.alloc(0) }),
}

export async function run(): Promise<BenchReport> {
  const cache = fileURLToPath(new URL('../.cache/', import.meta.url))
  mkdirSync(cache, { recursive: true })
  const home = mkdtempSync(path.join(cache, 'bench-egress-'))
  const program = mkdtempSync('/var/tmp/cordon-bench-egress-')
  chmodSync(program, 0o755) // the server is not root, even where Cordon is
  await using stack = new AsyncDisposableStack()
  for (const folder of [home, program]) stack.defer(() => rmSync(folder, { recursive: true }))
  const script = path.join(program, 'client.mjs')
  cpSync(fileURLToPath(new URL('egress/client.mjs', import.meta.url)), script)

  const outside = stack.adopt(fork(fileURLToPath(import.meta.url)), (child) => void child.kill())
  const [echo] = (await once(outside, 'message')) as [number]
  const audit = await openLog(home, stack)
  const sandboxed = await launch(home, script, stack)
  guardAll(sandboxed, { audit, echo }, stack)
  const bare = createBare(echo)
  const bareSource = sandboxed.tunnels.find(({ to }) => to.port === BARE_PORT)
  bareSource?.onConnection((socket) => void bare.emit('connection', socket))
  const bridge = await openBridge(path.join(home, 'bare.sock'), echo, stack)
  const plain = spawn(process.execPath, [script, helloText], { stdio: ['pipe', 'pipe', 'inherit'] })
  stack.defer(() => void plain.kill())
  return await measure({
    inside: clientOf(sandboxed),
    outside: clientOf(plain),
    echo,
    bridge,
  })
}

const helloText = helloFor(HOST).toString('base64')

async function openLog(home: string, stack: AsyncDisposableStack): Promise<Audit> {
  const paths = { folder: path.join(home, 'audit'), anchorPath: path.join(home, 'audit-head') }
  return stack.use(await openAudit({ owner: OWNER.id, ...paths, redactor, log }))
}

/** The client in its sandbox, with a listener for each proxy and one for the bare one. */
async function launch(
  home: string,
  script: string,
  stack: AsyncDisposableStack,
): Promise<SandboxedProcess> {
  const options = { nodePath: process.execPath, cordonHome: home, userHome: homedir() }
  const sandbox = stack.use(await openSandbox({ ...options, pinPath }))
  const ports = Array.from({ length: SERVERS }, (_, index) => FIRST_PORT + index)
  const spec = {
    server: parseServerId('bench'),
    command: 'node',
    args: [script, helloText],
    environment: {},
    networked: true,
    tunnels: [...ports.slice(1), BARE_PORT, BLOCKED_PORT].map((port) => ({
      host: '127.0.0.1',
      port,
    })),
    settings: {
      mode: 'bwrap',
      memoryLimitBytes: DEFAULT_LIMITS.memoryBytes,
      readOnlyFs: true,
      allowTmp: true,
      readPaths: [],
      writePaths: [],
    },
  } as const
  const running = stack.use(await sandbox.launch(spec, never))
  running.stderr.pipe(process.stderr)
  return running
}

/** One proxy for each server, on the proxy's listener of the sandbox or on one that is made in the same way. */
function guardAll(
  { connections, tunnels }: SandboxedProcess,
  { audit, echo }: { readonly audit: Audit; readonly echo: number },
  stack: AsyncDisposableStack,
): void {
  const parts: EgressParts = {
    owner: OWNER.id,
    audit,
    log,
    resolve: async () => ['127.0.0.1'],
    connect: (host) => connect({ host, port: echo, noDelay: true, allowHalfOpen: true }),
    dangerouslyAllowAddress: (address) => address === '127.0.0.1',
  }
  const egress = createEgress(parts)
  const unlimited = createEgress({ ...parts, limits: { connections: NO_PAUSE } })
  if (connections === undefined) throw new Error('the sandbox has no listener for the proxy')
  const sources = [connections, ...tunnels.filter(({ to }) => to.port !== BARE_PORT)]
  const forBlocked = tunnels.find(({ to }) => to.port === BLOCKED_PORT)
  for (const [index, source] of sources.entries()) {
    const server = parseServerId(`bench-${index}`)
    const room = source === forBlocked ? unlimited : egress
    stack.use(room.guard(server, { allowedDomains: [HOST] }, source, () => {}))
  }
}

interface Contest {
  readonly inside: Client
  readonly outside: Client
  readonly echo: number
  readonly bridge: Way | undefined
}

async function measure({ inside, outside, echo, bridge }: Contest): Promise<BenchReport> {
  const ours = Array.from({ length: SERVERS }, (_, index) => ({
    port: index === 0 ? PROXY_PORT : FIRST_PORT + index,
    target: `${HOST}:443`,
  }))
  const bare = { port: BARE_PORT, target: `127.0.0.1:${echo}` }
  const barePerSecond = await inside({ kind: 'crowd', ways: [bare], ms: CROWD_MS })
  const perSecond = await inside({ kind: 'crowd', ways: ours, ms: CROWD_MS })
  const samples: number[][] = [[], [], [], []]
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const proxy = ours.at(round % SERVERS) ?? bare
    const taken = [
      await outside({ kind: 'take', way: { port: echo } }),
      await inside({ kind: 'take', way: bare }),
      await inside({ kind: 'take', way: proxy }),
      ...(bridge ? [await outside({ kind: 'take', way: bridge })] : []),
    ]
    if (round >= 0) for (const [way, ms] of taken.entries()) samples[way]?.push(ms)
  }
  const grown = await measureGrowth(inside, { port: BLOCKED_PORT })
  return report(samples, { perSecond, barePerSecond, grown })
}

interface Others {
  readonly perSecond: number
  readonly barePerSecond: number
  readonly grown: number
}

function report(
  samples: readonly (readonly number[])[],
  { perSecond, barePerSecond, grown }: Others,
): BenchReport {
  const at = (way: number, share: number): number => quantile(samples[way] ?? [], share)
  const overBridge = samples[3]?.length ? at(2, 0.5) / at(3, 0.5) : Number.POSITIVE_INFINITY
  return {
    figures: [
      { name: 'direct, no proxy p50', value: at(0, 0.5), unit: 'ms' },
      { name: 'bare Node proxy p50', value: at(1, 0.5), unit: 'ms' },
      { name: 'domain proxy p50', value: at(2, 0.5), unit: 'ms' },
      { name: 'domain proxy p99', value: at(2, 0.99), unit: 'ms' },
      { name: 'bare Node proxy behind socat p50', value: at(3, 0.5), unit: 'ms' },
      { name: 'bare Node proxy, 16 clients', value: barePerSecond, unit: '/s' },
    ],
    bars: [
      bar('new CONNECT p50 vs bare Node proxy', at(2, 0.5) / at(1, 0.5), '×', 1.15),
      bar('new CONNECT p50 vs the same behind socat', overBridge, '×', 0.5),
      { ...bar('new CONNECTs, 16 clients', perSecond, '/s', 3000), kind: 'least' },
      bar('added by the proxy, p99 over direct p50', at(2, 0.99) - at(0, 0.5), 'ms', 5),
      bar('memory after 10,000 blocked attempts', grown, 'MB', 5),
    ],
  }
}

function bar(
  name: string,
  value: number,
  unit: string,
  limit: number,
): BenchReport['bars'][number] {
  return { name, value, unit, limit, kind: 'most' }
}

/** Megabytes still held after a garbage collection, beyond those held after the first thousand attempts. */
async function measureGrowth(client: Client, way: Way): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const held = async (): Promise<number> => {
    await sleep(200)
    collect()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  await client({ kind: 'blocked', way, count: 1000 })
  const before = await held()
  await client({ kind: 'blocked', way, count: BLOCKED })
  return Math.max(0, (await held()) - before) / 1e6
}

interface Ends {
  readonly stdin: Writable
  readonly stdout: Readable
}

function clientOf({ stdin, stdout }: Ends | ChildProcess): Client {
  if (stdin === null || stdout === null) throw new Error('the client has no streams')
  const lines = createInterface({ input: stdout })
  return async (order) => {
    const answered = once(lines, 'line')
    stdin.write(`${JSON.stringify(order)}\n`)
    const answer = JSON.parse(String((await answered)[0])) as number | { readonly error: string }
    if (typeof answer !== 'number') throw new Error(`the client could not: ${answer.error}`)
    return answer
  }
}

// The second process: the host outside.
if (process.send !== undefined && import.meta.main) {
  const server = createServer({ noDelay: true }, (socket: Socket) => {
    socket.on('error', () => {}).pipe(socket)
  })
  server.listen({ port: 0, host: '127.0.0.1', backlog: 1024 })
  server.once('listening', () => process.send?.((server.address() as AddressInfo).port))
}
