/**
 * The cost of a sandbox: a real server from its start to its list of tools, sandboxed and plain, side by side. The
 * server needs no host, so its sandbox has no egress; the same with egress is shown too, because Node then loads its
 * whole HTTP client before the server's first line.
 */
import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { Sandbox } from '../src/kernel/sandbox-port.ts'
import { parseServerId } from '../src/kernel/server-id.ts'
import { never } from '../src/kernel/test-never.ts'
import { openSandbox } from '../src/sandbox/open-sandbox.ts'
import { type BenchReport, quantile } from './report.ts'

const ROUNDS = 15
const WARM_UP = 2
const AT_ONCE = 5
const MB = 2 ** 20

const PACKAGE = '@modelcontextprotocol/server-everything'
const VERSION = '2026.8.31'
const cache = fileURLToPath(new URL(`../.cache/server-everything-${VERSION}`, import.meta.url))
const script = path.join(cache, 'node_modules', PACKAGE, 'dist', 'index.js')

interface Running {
  readonly stdin: Writable
  readonly stdout: Readable
  stop(): Promise<unknown>
}

type Start = () => Promise<Running>

export async function run(): Promise<BenchReport> {
  if (!existsSync(script)) install()
  const home = mkdtempSync(path.join(tmpdir(), 'cordon-bench-spawn-'))
  try {
    await using sandbox = await openSandbox({
      nodePath: process.execPath,
      cordonHome: home,
      userHome: homedir(),
      timings: { politeMs: 2_000, firmMs: 1_000 },
    })
    return await measure(sandbox, await idleCost(sandbox))
  } finally {
    rmSync(home, { recursive: true })
  }
}

function install(): void {
  const flags = ['--ignore-scripts', '--no-audit', '--no-fund', '--prefix', cache]
  execFileSync('npm', ['install', ...flags, `${PACKAGE}@${VERSION}`], { stdio: 'ignore' })
}

/** The variables that make Node use a proxy. */
const PROXY_ENVIRONMENT = {
  NODE_USE_ENV_PROXY: '1',
  HTTP_PROXY: 'http://127.0.0.1:3128',
  HTTPS_PROXY: 'http://127.0.0.1:3128',
}

async function measure(sandbox: Sandbox, idleBytes: number): Promise<BenchReport> {
  const contenders: Record<string, Start> = {
    plain: () => plain(),
    cordoned: () => behindACordon(sandbox, false),
    'plain, proxy variables': () => plain({ ...process.env, ...PROXY_ENVIRONMENT }),
    'cordoned, way out': () => behindACordon(sandbox, true),
  }
  const single = await inTurns(contenders, ROUNDS, 1)
  const together = await inTurns(contenders, AT_ONCE, AT_ONCE)
  const figures = (of: Medians, what: string) =>
    Object.entries(of).map(([name, value]) => ({ name: `${name}, ${what}`, value, unit: 'ms' }))
  const most = (name: string, value: number, unit: string, limit: number) =>
    ({ name, value, unit, limit, kind: 'most' }) as const
  const ratio = (of: Medians, a: string, b: string) => (of[a] ?? Number.NaN) / (of[b] ?? Number.NaN)
  return {
    figures: [
      ...figures(single, 'to tools/list'),
      ...figures(together, `${AT_ONCE} at once`),
      {
        name: 'with a way out vs plain',
        value: ratio(single, 'cordoned, way out', 'plain'),
        unit: '×',
      },
      {
        name: 'with a way out vs plain with proxy variables',
        value: ratio(single, 'cordoned, way out', 'plain, proxy variables'),
        unit: '×',
      },
    ],
    bars: [
      most('sandboxed vs plain', ratio(single, 'cordoned', 'plain'), '×', 1.1),
      most(
        `${AT_ONCE} at once with a way out vs plain`,
        ratio(together, 'cordoned, way out', 'plain'),
        '×',
        1.5,
      ),
      most(
        `${AT_ONCE} at once with a way out`,
        together['cordoned, way out'] ?? Number.NaN,
        'ms',
        3_000,
      ),
      most('idle sandbox beyond its server', idleBytes / MB, 'MB PSS', 1),
    ],
  }
}

type Medians = Readonly<Record<string, number>>

/** Each round starts every contender in turn, `atOnce` servers of it together. */
async function inTurns(
  contenders: Readonly<Record<string, Start>>,
  rounds: number,
  atOnce: number,
): Promise<Medians> {
  const taken = new Map<string, number[]>(Object.keys(contenders).map((name) => [name, []]))
  for (let round = -WARM_UP; round < rounds; round++) {
    for (const [name, start] of Object.entries(contenders)) {
      const ms = await timeToTools(Array.from({ length: atOnce }, () => start))
      if (round >= 0) taken.get(name)?.push(ms)
    }
  }
  return Object.fromEntries([...taken].map(([name, samples]) => [name, quantile(samples, 0.5)]))
}

/** Milliseconds from starting all servers together until the last has listed its tools. */
async function timeToTools(starts: readonly Start[]): Promise<number> {
  const began = performance.now()
  const running = await Promise.all(
    starts.map(async (start) => {
      const server = await start()
      await listTools(server)
      return server
    }),
  )
  const taken = performance.now() - began
  await Promise.all(running.map((server) => server.stop()))
  return taken
}

async function plain(environment: NodeJS.ProcessEnv = process.env): Promise<Running> {
  const child = spawn(process.execPath, [script, 'stdio'], {
    stdio: ['pipe', 'pipe', 'ignore'],
    env: environment,
  })
  const ended = new Promise((resolve) => child.once('exit', resolve))
  const stop = async () => {
    child.kill('SIGKILL')
    await ended
  }
  return { stdin: child.stdin, stdout: child.stdout, stop }
}

async function behindACordon(
  sandbox: Sandbox,
  networked: boolean,
): Promise<Awaited<ReturnType<Sandbox['launch']>>> {
  const settings = {
    mode: 'bwrap',
    memoryLimitBytes: 512 * MB,
    readOnlyFs: true,
    allowTmp: true,
    readPaths: [],
    writePaths: [],
  } as const
  const server = parseServerId('everything')
  const program = { command: 'node', args: [script, 'stdio'], environment: {}, networked }
  const running = await sandbox.launch({ server, ...program, settings }, never)
  running.stderr.resume()
  return running
}

/** The protocol by hand, so that nothing but the server is measured. */
async function listTools({ stdin, stdout }: Running): Promise<void> {
  const say = (message: object) =>
    stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'bench', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  say({ id: 1, method: 'initialize', params })
  let heard = ''
  for await (const chunk of stdout.iterator({ destroyOnReturn: false })) {
    heard += String(chunk)
    const answers = heard.split('\n').slice(0, -1)
    heard = heard.slice(heard.lastIndexOf('\n') + 1)
    for (const line of answers) {
      const answer = JSON.parse(line) as { id?: number; result?: { tools?: unknown[] } }
      if (answer.result?.tools?.length) return
      if (answer.id !== 1) continue
      say({ method: 'notifications/initialized' })
      say({ id: 2, method: 'tools/list' })
    }
  }
  throw new Error('the server ended before it listed its tools')
}

/** Memory of everything that exists because of the sandbox: bubblewrap outside and inside. */
async function idleCost(sandbox: Sandbox): Promise<number> {
  const before = bubblewraps()
  const running = await behindACordon(sandbox, true)
  await listTools(running)
  const own = bubblewraps().filter((pid) => !before.includes(pid))
  if (own.length < 2) throw new Error('no bubblewrap process was found')
  const bytes = own.reduce((sum, pid) => sum + proportionalSize(pid), 0)
  await running.stop()
  return bytes
}

function bubblewraps(): readonly string[] {
  return readdirSync('/proc').filter((pid) => /^bwrap$/m.test(readText(`/proc/${pid}/comm`)))
}

function proportionalSize(pid: string): number {
  const kilobytes = /^Pss:\s+(\d+) kB$/m.exec(readText(`/proc/${pid}/smaps_rollup`))?.[1]
  return Number(kilobytes ?? 0) * 1024
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
