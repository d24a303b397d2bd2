/**
 * "connect notion" from the pasted token to `connected`, against the least that is needed: the same server in the same
 * sandbox, started, with a handshake, a list of tools and one call, by hand. Both take turns in one run. Also measures
 * how long the first question takes. The package is installed beforehand; api.notion.com is a stand-in on loopback.
 */
import assert from 'node:assert/strict'
import { cpSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { OWNER } from '../src/kernel/principal.ts'
import type { RunningKernel } from '../src/api/client.ts'
import { createEgress } from '../src/egress/create-egress.ts'
import { openHouse } from '../src/house/open-house.ts'
import type { Egress } from '../src/ports/egress-port.ts'
import type { SandboxedProcess } from '../src/kernel/sandbox-port.ts'
import { parseServerId } from '../src/kernel/server-id.ts'
import { never } from '../src/kernel/test-never.ts'
import { pinPath } from '../src/home/pin-path.ts'
import { openSandbox } from '../src/sandbox/open-sandbox.ts'
import { packageOf } from '../test/fixtures/packages.ts'
import { createNotion, NOTION_HOST } from '../test/fixtures/notion-stand-in.ts'
import { leadTo, openOutsideWorld, type OutsideWorld } from '../test/fixtures/outside-world.ts'
import { type BenchReport, quantile } from './report.ts'

const WARM_UP = 3
const ROUNDS = 20
/** The time a person needs to find the token; meanwhile the package is fetched, and no server starts (decision 17). */
const LOOKING_MS = 300
const TOKEN = `ntn_${'Good1234'.repeat(6)}`
const server = parseServerId('notion')

export async function run(): Promise<BenchReport> {
  await using stack = new AsyncDisposableStack()
  const world = stack.use(await openOutsideWorld({ [NOTION_HOST]: createNotion(TOKEN).answer }))
  const installed = await packageOf('notion')
  // Beside the checkout, not in the temporary folder: that may lie in memory, where a sync costs nothing.
  const cache = fileURLToPath(new URL('../.cache/', import.meta.url))
  const home = mkdtempSync(path.join(cache, 'bench-connect-'))
  stack.defer(() => rmSync(home, { recursive: true }))
  const folder = path.join(home, 'packages', installed.name)
  mkdirSync(path.dirname(folder), { recursive: true, mode: 0o700 })
  cpSync(installed.folder, folder, { recursive: true })
  const kernel = stack.use(await openKernel(world, home))
  const bare = await openBare(world, `${home}-bare`, folder, stack)
  return await compare(kernel, bare)
}

async function compare(kernel: RunningKernel, bare: () => Promise<number>): Promise<BenchReport> {
  const taken = { bare: [] as number[], connect: [] as number[], prompt: [] as number[] }
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    const alone = await bare()
    const { prompt, connect } = await connectOnce(kernel)
    if (round < 0) continue
    taken.bare.push(alone)
    taken.prompt.push(prompt)
    taken.connect.push(connect)
  }
  const median = (name: keyof typeof taken): number => quantile(taken[name], 0.5)
  return {
    figures: [
      { name: 'spawn, handshake, tools, one call, bare p50', value: median('bare'), unit: 'ms' },
      { name: 'paste to connected p50', value: median('connect'), unit: 'ms' },
      { name: 'paste to connected p95', value: quantile(taken.connect, 0.95), unit: 'ms' },
      { name: 'prompt p95', value: quantile(taken.prompt, 0.95), unit: 'ms' },
    ],
    bars: [
      {
        name: 'paste to connected vs bare, p50',
        value: median('connect') / median('bare'),
        unit: '×',
        kind: 'most',
        limit: 1.15,
      },
      { name: 'prompt p50', value: median('prompt'), unit: 'ms', kind: 'most', limit: 20 },
    ],
  }
}

async function openKernel(world: OutsideWorld, home: string): Promise<RunningKernel> {
  const outside = leadTo(world.places)
  const settings = { version: '0', homePath: home, databaseUrl: undefined, entry: '', outside }
  const { environment } = world
  const kernel = await openHouse({ ...settings, environment, port: 0, page: false })
  await kernel.call('vault.init', { source: 'keyfile' })
  return kernel
}

async function connectOnce(
  kernel: RunningKernel,
): Promise<{ readonly prompt: number; readonly connect: number }> {
  const began = performance.now()
  const { connection, phase } = await kernel.call('connect.start', { name: 'notion' })
  const prompt = performance.now() - began
  assert.equal(phase, 'awaiting-credential')
  await pause(LOOKING_MS)
  const pasted = performance.now()
  let view = await kernel.call('connect.provide', { connection, value: TOKEN })
  while (view.phase !== 'connected') {
    assert.notEqual(view.phase, 'failed', view.said.at(-1))
    view = await kernel.call('connect.follow', { connection, after: view.version })
  }
  const connect = performance.now() - pasted
  await kernel.call('connect.remove', { server, keepSecrets: false })
  return { prompt, connect }
}

/** Starts the server as its definition says, without the house around it. */
async function openBare(
  world: OutsideWorld,
  home: string,
  folder: string,
  stack: AsyncDisposableStack,
): Promise<() => Promise<number>> {
  const { NODE_EXTRA_CA_CERTS: extraAuthorities = '' } = world.environment
  const places = { nodePath: process.execPath, cordonHome: home, userHome: homedir() }
  const sandbox = stack.use(await openSandbox({ ...places, pinPath, extraAuthorities }))
  const silent = { info: () => undefined, warn: () => undefined, error: () => undefined }
  const audit = { append: () => ({}) as never }
  const egress = createEgress({ owner: OWNER.id, audit, log: silent, ...leadTo(world.places) })
  const entry = path.join(folder, 'node_modules/@notionhq/notion-mcp-server/bin/cli.mjs')
  const settings = {
    mode: 'bwrap',
    memoryLimitBytes: 256 * 2 ** 20,
    readOnlyFs: true,
    allowTmp: true,
    readPaths: [],
    writePaths: [],
  } as const
  const program = { command: 'node', args: [entry], environment: { NOTION_TOKEN: TOKEN } }
  return async () => {
    const began = performance.now()
    const spec = { server, ...program, settings, networked: true }
    await using running = await sandbox.launch(spec, never)
    await talk(running, egress)
    return performance.now() - began
  }
}

/** The protocol by hand, so that nothing but the server is measured. */
async function talk(running: SandboxedProcess, egress: Egress): Promise<void> {
  running.stderr.resume()
  if (running.connections) {
    egress.guard(server, { allowedDomains: [NOTION_HOST] }, running.connections, () => undefined)
  }
  const say = (message: object) =>
    running.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  const clientInfo = { name: 'bench', version: '1' }
  const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo }
  say({ id: 1, method: 'initialize', params })
  for await (const line of createInterface(running.stdout)) {
    const { id } = JSON.parse(line) as { readonly id?: number }
    if (id === 1) {
      say({ method: 'notifications/initialized' })
      say({ id: 2, method: 'tools/list' })
    } else if (id === 2) {
      say({ id: 3, method: 'tools/call', params: { name: 'API-get-self', arguments: {} } })
    } else if (id === 3) {
      assert.match(line, /"bot/)
      return
    }
  }
  throw new Error('the server ended before it answered')
}
