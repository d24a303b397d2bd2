/**
 * The status of the kernel and a call of another server while one server floods, against the same in quiet. The kernel is
 * the program, as `cordon up` starts it, and is asked over its socket; all servers are sandboxed, so floods and calls share
 * its only thread. Each flood has a server of its own, which is stopped before the next; memory is compared before the
 * first and after the last.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { findSocketApi } from '../src/api/client.ts'
import type { Api } from '../src/api/contract.ts'
import { AUTHORITY, HOST, openHost } from './host-behind-tls.ts'
import { PLACES_VARIABLE, type Places } from '../test/fixtures/outside-world.ts'
import { foregroundCommand } from '../src/sandbox/unsandboxed/start-kernel.ts'
import { residentOf } from './gateway/gateway-processes.ts'
import { type BenchReport, quantile } from './report.ts'

const WARM_UP = 200
const ROUNDS = 300
/** The rounds take six seconds, so that a flood that comes in waves is seen. */
const EVERY_MS = 20
/** Long enough for a flood to use up the burst of its rate limit, so that the lasting flood is measured. */
const SETTLE_MS = 8_000
const MODES = [
  'stdout',
  'stderr',
  'answers',
  'changed',
  'forks',
  'burners',
  'connections',
  'requests',
] as const
/** For all collections of `floods/collect.mjs`. */
const COLLECTING_MS = 2_000
const START_MS = 60_000
type Mode = (typeof MODES)[number]

interface Times {
  readonly call: number
  readonly status: number
}

interface Taken {
  readonly p50: Times
  readonly p90: Times
}

export async function run(): Promise<BenchReport> {
  await using stack = new AsyncDisposableStack()
  const folder = mkdtempSync('/var/tmp/cordon-floods-')
  stack.defer(() => rmSync(folder, { recursive: true }))
  chmodSync(folder, 0o755) // the servers are not root, even where Cordon is
  const scripts = path.join(folder, 'servers')
  const fixtures = fileURLToPath(new URL('../test/fixtures/servers/', import.meta.url))
  cpSync(fixtures, scripts, { recursive: true })
  const homePath = path.join(folder, 'home')
  mkdirSync(path.join(homePath, 'mcp'), { recursive: true, mode: 0o700 })
  define(homePath, 'quiet', [path.join(scripts, 'echo.mjs')])
  for (const mode of MODES) define(homePath, mode, [path.join(scripts, 'hostile-load.mjs'), mode])
  const kernel = startKernel(homePath, await openHost(stack))
  stack.defer(async () => {
    kernel.kill('SIGTERM')
    if (kernel.exitCode === null) await once(kernel, 'exit')
  })
  const api = await untilUp(homePath)
  await api.call('vault.init', {})
  await api.call('vault.set', { name: 'token', value: 'bench-token-0123456789' })
  return await measure(api, kernel)
}

/** A preloaded file collects garbage on SIGUSR2, and one host leads to loopback; all else is as shipped. */
function startKernel(homePath: string, port: number): ChildProcess {
  const main = fileURLToPath(new URL('../test/fixtures/outside-main.ts', import.meta.url))
  const collector = fileURLToPath(new URL('floods/collect.mjs', import.meta.url))
  const [node = '', ...words] = foregroundCommand(process.execPath, main)
  const { PATH = '' } = process.env
  const own = { CORDON_HOME: homePath, CORDON_PORT: '0', HOME: path.dirname(homePath), PATH }
  const places: Places = { hosts: [HOST], port, registry: 'localhost', authorityFile: AUTHORITY }
  const world = { [PLACES_VARIABLE]: JSON.stringify(places) }
  const env = { ...own, ...world, NODE_OPTIONS: `--import=${collector}` }
  return spawn(node, words, { env, stdio: 'ignore' })
}

async function untilUp(homePath: string): Promise<Api> {
  const socket = path.join(homePath, 'run', 'cordon.sock')
  for (const latest = performance.now() + START_MS; performance.now() < latest; await delay(50)) {
    const api = await findSocketApi(socket).catch(() => undefined)
    if (api) return api
  }
  throw new Error('the kernel did not start')
}

async function measure(kernel: Api, program: ChildProcess): Promise<BenchReport> {
  await time(kernel, WARM_UP)
  const before = await memoryOf(program)
  const pairs: [Mode, Taken, Taken][] = []
  for (const mode of MODES) {
    const quiet = await time(kernel, ROUNDS)
    const calling = startFlood(kernel, mode)
    await delay(SETTLE_MS)
    const flooded = await time(kernel, ROUNDS)
    calling.abort()
    await kernel.call('mcp.stop', { server: mode }).catch(() => undefined)
    pairs.push([mode, quiet, flooded])
  }
  await delay(SETTLE_MS)
  return report(pairs, (await memoryOf(program)) / before)
}

/** Without a collection, memory that is only not collected yet would count as kept. */
async function memoryOf(program: ChildProcess): Promise<number> {
  program.kill('SIGUSR2')
  await delay(COLLECTING_MS)
  const memory = residentOf(program.pid ?? 0)
  if (memory === 0) throw new Error('the kernel has ended')
  return memory
}

function report(pairs: readonly (readonly [Mode, Taken, Taken])[], growth: number): BenchReport {
  const most = (name: string, value: number, limit: number) =>
    ({ name, value, limit, unit: '×', kind: 'most' }) as const
  const ratios = ([mode, quiet, flooded]: readonly [Mode, Taken, Taken]) =>
    (['p50', 'p90'] as const).flatMap((share) => [
      most(
        `another server's call under ${mode}, ${share}`,
        flooded[share].call / quiet[share].call,
        3,
      ),
      most(`status under ${mode}, ${share}`, flooded[share].status / quiet[share].status, 3),
    ])
  const times = ([mode, quiet, flooded]: readonly [Mode, Taken, Taken]) => [
    { name: `call, quiet before ${mode}, p90`, value: quiet.p90.call, unit: 'ms' },
    { name: `call under ${mode}, p90`, value: flooded.p90.call, unit: 'ms' },
    { name: `status under ${mode}, p90`, value: flooded.p90.status, unit: 'ms' },
  ]
  return {
    figures: pairs.flatMap(times),
    bars: [...pairs.flatMap(ratios), most('memory after the floods', growth, 1.1)],
  }
}

/** `answers` floods only while it is called, so it is called again and again. */
function startFlood(kernel: Api, mode: Mode): AbortController {
  const calling = new AbortController()
  if (mode !== 'answers') calling.abort()
  const call = () => kernel.call('mcp.call', { server: mode, tool: 'echo', args: {} })
  const keepOn = async (): Promise<void> => {
    do await call().catch(() => delay(100))
    while (!calling.signal.aborted)
  }
  void keepOn()
  return calling
}

function define(homePath: string, name: string, args: readonly string[]): void {
  const sandbox = ['[sandbox]', `read_paths = ["${path.dirname(args[0] ?? '')}"]`]
  const server = ['[server]', 'command = "node"', `args = ${JSON.stringify(args)}`]
  const tools = ['[tools.echo]', 'semantics = "read"'] // a read needs no approval; nobody is there to give one
  const hosts = name === 'requests' ? [`allowed_domains = ["${HOST}"]`] : []
  const auth =
    name === 'requests' ? ['[auth]', 'TOKEN = { ref = "vault:token", sealed = true }'] : []
  const text = [...hosts, ...server, ...auth, ...sandbox, ...tools, ''].join('\n')
  writeFileSync(path.join(homePath, 'mcp', `${name}.toml`), text, { mode: 0o600 })
}

/**
 * Begins at fixed moments and counts from them: a kernel that stands still for a second makes every round of that second
 * late, while rounds that wait for each other would see it once.
 */
async function time(kernel: Api, rounds: number): Promise<Taken> {
  const [calls, statuses]: [number[], number[]] = [[], []]
  const began = performance.now()
  const round = async (due: number): Promise<void> => {
    const args = { text: 'hello' }
    const result = await kernel.call('mcp.call', { server: 'quiet', tool: 'echo', args })
    if (result.kind !== 'ok') throw new Error(result.reason)
    calls.push(performance.now() - due)
    const between = performance.now()
    await kernel.call('status', {})
    statuses.push(performance.now() - between)
  }
  const all: Promise<void>[] = []
  for (let at = 0; at < rounds; at += 1) {
    const due = began + at * EVERY_MS
    await delay(Math.max(0, due - performance.now()))
    all.push(round(Math.min(due, performance.now())))
  }
  await Promise.all(all)
  const at = (share: number) => ({
    call: quantile(calls, share),
    status: quantile(statuses, share),
  })
  return { p50: at(0.5), p90: at(0.9) }
}
