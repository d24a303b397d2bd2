/**
 * Real kernels on one PostgreSQL, or one without, each with a home of its own and the same sandboxed server, which writes one line
 * to a file for each call. Runs are started and looked at over their sockets.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findSocketApi, type OpenApi } from '../../src/api/client.ts'
import type { JsonObject } from '../../src/text/json.ts'
import type { FlowRun } from '../../src/ports/flow-port.ts'
import { environmentFor, MAIN, root } from '../fixtures/cordon.ts'
import { until } from '../fixtures/until.ts'

const LEDGER = path.join(root, 'test', 'fixtures', 'servers', 'ledger.mjs')
const AHEAD = path.join(root, 'test', 'flows', 'clock-ahead.child.ts')

export interface Kernel {
  readonly api: OpenApi
  readonly process: ChildProcess
}

export interface KernelWishes {
  readonly name: string
  /** The wall clock of the kernel is ten minutes ahead. */
  readonly isAhead?: boolean
  /** The kernel has no server. */
  readonly hasNothing?: boolean
  /** The content of config.toml. */
  readonly settings?: string
  /** The calls of the server only read, and take this long. */
  readonly readMs?: number
}

export interface TwoKernels extends AsyncDisposable {
  start(wishes: KernelWishes): Promise<Kernel>
  /** The folder of the home of the kernel with this name, whether or not it is there yet. */
  homeOf(name: string): string
  /** Every line that the server wrote, of all kernels. */
  lines(): readonly string[]
}

export function openKernels(databaseUrl?: string): TwoKernels {
  const folder = mkdtempSync(path.join(tmpdir(), 'cordon-kernels-'))
  const work = path.join(folder, 'work')
  mkdirSync(work)
  // Servers are not root, even where Cordon is.
  chmodSync(folder, 0o755)
  chmodSync(work, 0o777)
  const file = path.join(work, 'ledger')
  const children: ChildProcess[] = []
  const homeOf = (name: string): string => path.join(folder, name)
  return {
    homeOf,
    async start({ name, isAhead = false, hasNothing = false, settings = '', readMs }) {
      const home = homeOf(name)
      mkdirSync(path.join(home, 'mcp'), { recursive: true, mode: 0o700 })
      chmodSync(home, 0o700)
      writeFileSync(path.join(home, 'config.toml'), settings, { mode: 0o600 })
      const toml = path.join(home, 'mcp', 'ledger.toml')
      if (!hasNothing) writeFileSync(toml, definition(file, work, readMs), { mode: 0o600 })
      const flags = [
        '--disallow-code-generation-from-strings',
        ...(isAhead ? ['--import', AHEAD] : []),
      ]
      const child = spawn(process.execPath, [...flags, MAIN, 'up'], {
        env: environmentFor(home, databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }),
        stdio: 'ignore',
      })
      children.push(child)
      const socket = path.join(home, 'run', 'cordon.sock')
      let api: OpenApi | undefined
      await until(async () => {
        if (child.exitCode !== null) throw new Error(`the kernel ${name} ended`)
        api = existsSync(socket) ? await findSocketApi(socket).catch(() => undefined) : undefined
        return api !== undefined
      })
      if (!api) throw new Error('unreachable')
      if (!hasNothing) await api.call('mcp.start', { server: 'ledger' })
      return { api, process: child }
    },
    lines: () => (existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : []),
    async [Symbol.asyncDispose]() {
      const ends = children.map(
        (child) =>
          new Promise<void>((resolve) => {
            if (child.exitCode !== null || child.signalCode !== null) resolve()
            else child.once('exit', () => resolve())
            child.kill('SIGCONT')
            child.kill('SIGKILL')
          }),
      )
      await Promise.all(ends)
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** The same text in every home, so that the launch is the same. A host makes every call need an approval. */
function definition(file: string, work: string, readMs?: number): string {
  const args = [LEDGER, file, ...(readMs === undefined ? [] : [String(readMs)])]
  return [
    'name = "ledger"',
    'allowed_domains = ["ledger.example"]',
    '[server]',
    'command = "node"',
    `args = ${JSON.stringify(args)}`,
    '[sandbox]',
    `write_paths = ${JSON.stringify([work])}`,
    '[tools.write]',
    `semantics = "${readMs === undefined ? 'write' : 'read'}"`,
    '',
  ].join('\n')
}

export const STEPS = 5

function flowOf(run: string): { readonly nodes: readonly JsonObject[] } {
  const nodes = Array.from({ length: STEPS }, (_, at) => ({
    id: `s${at + 1}`,
    type: 'ledger.write',
    params: { run, step: at + 1 },
  }))
  return { nodes }
}

/** Starts a run whose owner has agreed beforehand; tried on each kernel with the same id, until one has taken it. */
export async function startRun(kernels: readonly Kernel[], id: string): Promise<void> {
  const source = { kind: 'ir', ir: flowOf(id) } as const
  let tries = 0
  await until(async () => {
    const { api } = kernels[tries++ % kernels.length] as Kernel
    const limit = AbortSignal.timeout(3000)
    const started = api.call('flows.start', { id, source, approval: 'given' }, limit)
    return await started.then(
      () => true,
      () => false,
    )
  })
}

/** The newest runs; undefined while the kernel or its database does not answer. */
export async function runsOf({ api }: Kernel): Promise<readonly FlowRun[] | undefined> {
  const asked = api.call('flows.runs', { limit: 1000 }, AbortSignal.timeout(5000))
  return await asked.then(
    ({ runs }) => runs,
    () => undefined,
  )
}
