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
/** Long enough for a flood to use up the burst of its rate limit, so that the lasting flood is measured. */
const SETTLE_MS = 8_000
const MODES = ['stdout', 'stderr', 'answers', 'changed', 'forks', 'burners'] as const
type Mode = (typeof MODES)[number]

interface Taken {
  readonly call: number
  readonly status: number
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
  collectGarbage()
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
  collectGarbage()
  const after = process.memoryUsage().rss
  return report(pairs, after / before)
}

/** Without it, memory that is only not collected yet would count as kept. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  collect()
}

function report(pairs: readonly (readonly [Mode, Taken, Taken])[], growth: number): BenchReport {
  const most = (name: string, value: number, limit: number) =>
    ({ name, value, limit, unit: '×', kind: 'most' }) as const
  return {
    figures: pairs.flatMap(([mode, quiet, flooded]) => [
      { name: `call, quiet before ${mode}, p50`, value: quiet.call, unit: 'ms' },
      { name: `call under ${mode}, p50`, value: flooded.call, unit: 'ms' },
      { name: `status under ${mode}, p50`, value: flooded.status, unit: 'ms' },
    ]),
    bars: [
      ...pairs.flatMap(([mode, quiet, flooded]) => [
        most(`another server's call under ${mode}`, flooded.call / quiet.call, 3),
        most(`status under ${mode}`, flooded.status / quiet.status, 3),
      ]),
      most('memory after the floods', growth, 1.1),
    ],
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

async function time(kernel: Api, rounds: number): Promise<Taken> {
  const [calls, statuses]: [number[], number[]] = [[], []]
  for (let round = 0; round < rounds; round += 1) {
    const began = performance.now()
    const args = { text: 'hello' }
    const result = await kernel.call('mcp.call', { server: 'quiet', tool: 'echo', args })
    if (result.kind !== 'ok') throw new Error(result.reason)
    const between = performance.now()
    await kernel.call('status', {})
    calls.push(between - began)
    statuses.push(performance.now() - between)
  }
  return { call: quantile(calls, 0.5), status: quantile(statuses, 0.5) }
}
