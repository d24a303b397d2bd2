/**
 * The status of the kernel and a call of another server while one server floods, against the same in quiet. All servers
 * are sandboxed and in one house, so floods and calls share the kernel's only thread. Each flood has a server of its own,
 * which is stopped before the next; memory is compared before the first and after the last.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Api } from '../src/api/contract.ts'
import { openHouse } from '../src/house/open-house.ts'
import { type BenchReport, quantile } from './report.ts'

const WARM_UP = 200
const ROUNDS = 300
/** The rounds take six seconds, so that a flood that comes in waves is seen. */
const EVERY_MS = 20
/** Long enough for a flood to use up the burst of its rate limit, so that the lasting flood is measured. */
const SETTLE_MS = 8_000
const MODES = ['stdout', 'stderr', 'answers', 'changed', 'forks', 'burners'] as const
const COLLECTIONS = 12
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
  const settings = { version: '0', homePath, port: 0, page: false, entry: '', environment: {} }
  const kernel = stack.use(await openHouse({ ...settings, databaseUrl: undefined }))
  return await measure(kernel)
}

async function measure(kernel: Api): Promise<BenchReport> {
  await time(kernel, WARM_UP)
  await collectGarbage()
  const before = process.memoryUsage().rss
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
  await collectGarbage()
  const after = process.memoryUsage().rss
  return report(pairs, after / before)
}

/** Without it, memory that is only not collected yet would count as kept; V8 returns pages after several collections. */
async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  for (let turn = 0; turn < COLLECTIONS; turn += 1) {
    await delay(100)
    collect()
  }
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
  const text = [...server, ...sandbox, ...tools, ''].join('\n')
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
