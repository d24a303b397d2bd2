/**
 * The cost of a sandbox: a real server from its start to its list of tools, as people run it, and plain with the same
 * variables, side by side. Every local server has a proxy, and Node loads its whole HTTP client before the server's first
 * line once the variables name one; plain Node without them is shown too. Five servers are also registered with the
 * program and started by it.
 */
import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RunningKernel } from '../src/api/client.ts'
import { runShipped } from '../src/catalog/shipped/run-shipped.ts'
import { openHouse } from '../src/house/open-house.ts'
import type { LaunchSpec, Sandbox } from '../src/kernel/sandbox-port.ts'
import { parseServerId } from '../src/kernel/server-id.ts'
import { never } from '../src/kernel/test-never.ts'
import { pinPath } from '../src/home/pin-path.ts'
import { openSandbox } from '../src/sandbox/open-sandbox.ts'
import { insideEnvironment } from '../src/sandbox/plan/inside-environment.ts'
import { DEFAULT_LIMITS } from '../src/text/server-limits.ts'
import { PYTHON_FLAGS } from '../src/text/python-flags.ts'
import type { BenchReport } from './report.ts'
import { bubblewraps, proportionalSize } from './spawn/bubblewraps.ts'
import { unpackImageServer } from './spawn/image-server.ts'
import { inTurns, type Medians, perServer, type Running, type Start } from './spawn/in-turns.ts'
import { listTools } from './spawn/list-tools.ts'
import {
  installPythonServer,
  installSdkServer,
  PYTHON,
  type PythonServer,
} from './spawn/python-server.ts'

const ROUNDS = 15
const AT_ONCE = 5
const MB = 2 ** 20

/** It comes with Cordon. */
const PACKAGE = '@modelcontextprotocol/server-everything'
const script = fileURLToPath(
  new URL('dist/index.js', import.meta.resolve(`${PACKAGE}/package.json`)),
)

const SPEC: LaunchSpec = {
  server: parseServerId('everything'),
  command: 'node',
  args: [`cordon:${PACKAGE}`, 'stdio'],
  environment: {},
  networked: true,
  settings: {
    mode: 'bwrap',
    memoryLimitBytes: DEFAULT_LIMITS.memoryBytes,
    readOnlyFs: true,
    allowTmp: true,
    readPaths: [],
    writePaths: [],
  },
}

/** Compares Python the same way; its modules are compiled ahead in both places. The bar is for a server on the SDK. */
async function measurePython(
  sandbox: Sandbox,
  kernel: RunningKernel,
  { entry, site }: PythonServer,
  name: 'Python' | 'SDK',
): Promise<Medians> {
  const spec = { ...SPEC, command: 'python3', args: [PYTHON_FLAGS, entry] }
  const contenders: Record<string, Start> = {
    [`plain ${name}`]: () =>
      plain({ ...process.env, PYTHONPATH: site }, PYTHON, ['-m', 'bench_server']),
    [`cordoned ${name}`]: () => behindACordon(sandbox, spec),
  }
  const registered = () => startRegistered(kernel, [name.toLowerCase()])
  return await inTurns({ ...perServer(contenders, 1), [`registered ${name}`]: registered }, ROUNDS)
}

/** The same server in an image, with the Node of the image; beside it, from this machine's files. */
async function measureImage(sandbox: Sandbox, home: string): Promise<Medians> {
  const { image, words } = unpackImageServer(home)
  const [command, ...args] = words
  const spec = { ...SPEC, command, args, settings: { ...SPEC.settings, image } }
  const contenders: Record<string, Start> = {
    'plain, beside the image': () => plain(sameVariables()),
    'image in its sandbox': () => behindACordon(sandbox, spec),
  }
  return await inTurns(perServer(contenders, 1), ROUNDS)
}

export async function run(): Promise<BenchReport> {
  await using stack = new AsyncDisposableStack()
  const home = mkdtempSync(path.join(tmpdir(), 'cordon-bench-spawn-'))
  stack.defer(() => rmSync(home, { recursive: true }))
  const options = { nodePath: process.execPath, cordonHome: home, userHome: homedir() }
  const timings = { politeMs: 2_000, firmMs: 1_000 }
  const sandbox = runShipped(stack.use(await openSandbox({ ...options, timings, pinPath })))
  const python = await installPythonServer(home)
  const sdk = await installSdkServer(home)
  const entries = { python: python.entry, ...(sdk && { sdk: sdk.entry }) }
  const kernel = stack.use(await openKernel(home, entries))
  const others = {
    ...(await measurePython(sandbox, kernel, python, 'Python')),
    ...(sdk && (await measurePython(sandbox, kernel, sdk, 'SDK'))),
    ...(await measureImage(sandbox, home)),
  }
  return await measure(sandbox, kernel, others)
}

/** A kernel with the servers registered, none of them started. */
async function openKernel(
  home: string,
  entries: Readonly<Record<string, string>>,
): Promise<RunningKernel> {
  mkdirSync(path.join(home, 'mcp'), { mode: 0o700 })
  for (const [name, entry] of Object.entries(entries)) {
    register(home, name, 'python3', [PYTHON_FLAGS, entry])
  }
  for (const name of registered) register(home, name, 'node', SPEC.args)
  const settings = { version: '0', homePath: home, databaseUrl: undefined, entry: '' }
  return await openHouse({ ...settings, environment: {}, port: 0, page: false })
}

function register(home: string, name: string, command: string, args: readonly string[]): void {
  const text = `start = "lazy"\n[server]\ncommand = "${command}"\nargs = ${JSON.stringify(args)}\n`
  writeFileSync(path.join(home, 'mcp', `${name}.toml`), text)
}

const registered = Array.from({ length: AT_ONCE }, (_, index) => `everything${index}`)

/** The variables that decide what Node does before the server's first line. */
function sameVariables(): NodeJS.ProcessEnv {
  const inside = insideEnvironment(SPEC, false)
  const { PATH: _path, HOME: _home, TMPDIR: _tmp, ...others } = inside
  return { ...process.env, ...others }
}

async function measure(
  sandbox: Sandbox,
  kernel: RunningKernel,
  others: Medians,
): Promise<BenchReport> {
  const contenders: Record<string, Start> = {
    plain: () => plain(process.env),
    'plain, same variables': () => plain(sameVariables()),
    cordoned: () => behindACordon(sandbox),
  }
  const idleBytes = await idleCost(sandbox)
  const single = await inTurns(perServer(contenders, 1), ROUNDS)
  const together = await inTurns(
    { ...perServer(contenders, AT_ONCE), registered: () => startRegistered(kernel, registered) },
    AT_ONCE,
  )
  const figures = (of: Medians, what: string) =>
    Object.entries(of).map(([name, value]) => ({ name: `${name}, ${what}`, value, unit: 'ms' }))
  const most = (name: string, value: number, unit: string, limit: number) =>
    ({ name, value, unit, limit, kind: 'most' }) as const
  const measured = 'plain SDK' in others ? 'SDK' : 'Python'
  const ratio = (of: Medians, a: string, b: string) => (of[a] ?? Number.NaN) / (of[b] ?? Number.NaN)
  return {
    figures: [
      ...figures(single, 'to tools/list'),
      ...figures(together, `${AT_ONCE} at once`),
      ...figures(others, 'to tools/list'),
      {
        name: 'image vs plain, same variables',
        value: ratio(others, 'image in its sandbox', 'plain, beside the image'),
        unit: '×',
      },
      {
        name: 'Python, cordoned vs plain',
        value: ratio(others, 'cordoned Python', 'plain Python'),
        unit: '×',
      },
      {
        name: 'Python, registered vs plain, without the SDK',
        value: ratio(others, 'registered Python', 'plain Python'),
        unit: '×',
      },
      { name: 'cordoned vs plain', value: ratio(single, 'cordoned', 'plain'), unit: '×' },
      {
        name: `${AT_ONCE} at once vs plain, same variables`,
        value: ratio(together, 'cordoned', 'plain, same variables'),
        unit: '×',
      },
    ],
    bars: [
      most(
        'Python, registered vs plain',
        ratio(others, `registered ${measured}`, `plain ${measured}`),
        '×',
        1.15,
      ),
      most(
        'cordoned vs plain, same variables',
        ratio(single, 'cordoned', 'plain, same variables'),
        '×',
        1.1,
      ),
      most(`${AT_ONCE} registered vs plain`, ratio(together, 'registered', 'plain'), '×', 1.5),
      most(`${AT_ONCE} registered`, together['registered'] ?? Number.NaN, 'ms', 3_000),
      most('idle sandbox beyond its server', idleBytes / MB, 'MB PSS', 1),
    ],
  }
}

/** All of them through the API, and stopped again; the milliseconds until the last has listed its tools. */
async function startRegistered(kernel: RunningKernel, servers: readonly string[]): Promise<number> {
  const began = performance.now()
  await Promise.all(servers.map((server) => kernel.call('mcp.start', { server })))
  const taken = performance.now() - began
  await Promise.all(servers.map((server) => kernel.call('mcp.stop', { server })))
  return taken
}

async function plain(
  environment: NodeJS.ProcessEnv,
  program = process.execPath,
  args: readonly string[] = [script, 'stdio'],
): Promise<Running> {
  const child = spawn(program, args, {
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
  spec = SPEC,
): Promise<Awaited<ReturnType<Sandbox['launch']>>> {
  const running = await sandbox.launch(spec, never)
  running.stderr.resume()
  return running
}

/** Memory of everything that exists because of the sandbox: bubblewrap outside and inside. */
async function idleCost(sandbox: Sandbox): Promise<number> {
  const before = bubblewraps()
  const running = await behindACordon(sandbox)
  await listTools(running)
  const own = bubblewraps().filter((pid) => !before.includes(pid))
  if (own.length < 2) throw new Error('no bubblewrap process was found')
  const bytes = own.reduce((sum, pid) => sum + proportionalSize(pid), 0)
  await running.stop()
  return bytes
}
