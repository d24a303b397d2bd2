/**
 * Flows in a kernel as it is shipped: its own process, the real door with its audit log, and servers in their real
 * sandboxes. Runs are started and followed over the socket, as a command does it.
 */
import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { findSocketApi, followFlow, type OpenApi } from '../../src/api/client.ts'
import type { KernelStatus } from '../../src/api/kernel.ts'
import type { Json } from '../../src/text/json.ts'
import { type Cordon, openCordon, root } from '../../test/fixtures/cordon.ts'
import { CALL_MS, formats } from './bench-runs.ts'

const AT_ONCE = 100
const CALLS = 5
const LONG = 1000
const TICKS_PER_SECOND = 100

export interface RealLoad {
  readonly stepsPerSecond: number
  /** Of the kernel, in microseconds. */
  readonly cpuPerStep: number
  readonly overIdeal: number
  /** Processor time of the kernel for a long run that a command follows, divided by that of one that nobody follows. */
  readonly followed: number
}

export async function measureReal(): Promise<RealLoad> {
  await using cordon = openCordon()
  define(cordon, 'echo', 'echo')
  define(cordon, 'slow', 'sleep')
  for (const server of ['echo', 'slow']) await cordon.ask(['mcp', 'start', server])
  const { pid } = await cordon.ask<KernelStatus>(['status'])
  const found = await findSocketApi(path.join(cordon.home, 'run', 'cordon.sock'))
  if (!found) throw new Error('The kernel does not answer')
  await using api = found
  const rounds = []
  for (let round = 0; round < 3; round += 1) rounds.push(await load(api, pid))
  const waits = []
  for (let round = 0; round < 2; round += 1) {
    const began = performance.now()
    await all(api, chain('mcp-slow-sleep', { ms: CALL_MS }))
    waits.push(performance.now() - began)
  }
  return {
    stepsPerSecond: Math.max(...rounds.map(({ perSecond }) => perSecond)),
    cpuPerStep: Math.min(...rounds.map(({ cpu }) => cpu)),
    overIdeal: Math.min(...waits) / (CALLS * CALL_MS),
    followed: await followedShare(api, pid),
  }
}

function define({ home }: Cordon, server: string, tool: string): void {
  const folder = path.join(home, 'mcp')
  const program = path.join(root, 'test', 'fixtures', 'servers', `${server}.mjs`)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  writeFileSync(
    path.join(folder, `${server}.toml`),
    `name = "${server}"
[server]
command = "node"
args = [${JSON.stringify(program)}]
[tools.${tool}]
semantics = "read"
`,
    { mode: 0o600 },
  )
}

function chain(type: string, params: Json): Json {
  return { nodes: Array.from({ length: CALLS }, (_, at) => ({ id: `c${at}`, type, params })) }
}

async function all(api: OpenApi, ir: Json): Promise<void> {
  await Promise.all(Array.from({ length: AT_ONCE }, () => runToEnd(api, ir)))
}

async function start(api: OpenApi, ir: Json): Promise<string> {
  const id = randomUUID()
  const options = { id, inputs: {}, useCache: false, trust: [] }
  await api.call('flows.start', { ...options, source: { kind: 'ir', ir } })
  return id
}

async function runToEnd(api: OpenApi, ir: Json): Promise<void> {
  const run = await followFlow(api, await start(api, ir), ({ run: { state } }) => {
    return state !== 'running'
  })
  if (run.state !== 'completed') throw new Error(JSON.stringify(run))
}

async function load(
  api: OpenApi,
  pid: number,
): Promise<{ readonly perSecond: number; readonly cpu: number }> {
  const before = cpuOf(pid)
  const began = performance.now()
  await all(api, chain('mcp-echo-echo', { text: 'hello' }))
  const steps = AT_ONCE * CALLS
  const seconds = (performance.now() - began) / 1000
  return { perSecond: steps / seconds, cpu: ((cpuOf(pid) - before) * 1e6) / steps }
}

/**
 * The end of the run that nobody follows is looked for seldom, so that the looks cost nothing. Summed over the rounds,
 * since processor time is counted in hundredths of a second.
 */
async function followedShare(api: OpenApi, pid: number): Promise<number> {
  const sums = { followed: 0, alone: 0 }
  for (let round = 0; round < 12; round += 1) {
    const before = cpuOf(pid)
    await runToEnd(api, formats(LONG))
    const middle = cpuOf(pid)
    await runAlone(api, formats(LONG))
    sums.followed += middle - before
    sums.alone += cpuOf(pid) - middle
  }
  return sums.followed / sums.alone
}

async function runAlone(api: OpenApi, ir: Json): Promise<void> {
  const id = await start(api, ir)
  for (;;) {
    await new Promise((resolve) => setTimeout(resolve, 300))
    const { runs } = await api.call('flows.runs', { limit: 1 })
    if (runs.some((run) => run.id === id && run.state === 'completed')) return
  }
}

/** Seconds of processor time of a process so far: fields 14 and 15 of proc_pid_stat(5). */
function cpuOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}
