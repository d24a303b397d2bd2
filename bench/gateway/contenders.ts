/**
 * The gateways that are measured, each started as its own documentation says, in front of the same server. Cordon is the
 * built program, started by itself: sandbox, policy and audit are on.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../test/fixtures/free-port.ts'
import { markFor } from './gateway-processes.ts'
import { type Link, openHttpLink, openLineLink, openSseLink } from './link.ts'
import { until } from './within.ts'

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const root = here('../../')
const bin = path.join(root, 'node_modules', '.cache', 'cordon-gateway-peers', 'node_modules')
const LAUNCHER = path.join(root, 'bin', 'cordon.cjs')
export const ECHO_SERVER: string = here('echo-server.mjs')

export type Way = 'http' | 'stdio'

export interface Contender {
  readonly name: string
  readonly way: Way
  /** One server is all it can have. */
  readonly isSingle?: true
  /** Starts it with so many servers, in a folder of its own, and connects. Gives up when the signal aborts. */
  start(servers: number, folder: string, signal: AbortSignal): Promise<Link>
  /** How `name` is called: most list the server's tools under a name that ends so. */
  readonly callOf?: (
    tool: string,
    args: object,
  ) => { readonly name: string; readonly arguments: object }
}

function node(name: string, args: readonly string[], folder: string): ChildProcess {
  return spawn(process.execPath, args, {
    cwd: folder,
    env: { PATH: process.env['PATH'] ?? '', HOME: folder, ...markFor(name) },
    stdio: ['pipe', 'pipe', 'ignore'],
  })
}

const script = (file: string): string => path.join(bin, file)

async function listening(port: number, signal: AbortSignal): Promise<void> {
  await until(
    () =>
      new Promise<boolean>((resolve) => {
        const socket = connect(port, '127.0.0.1')
        socket.once('connect', () => {
          socket.destroy()
          resolve(true)
        })
        socket.once('error', () => resolve(false))
      }),
    signal,
  )
}

const ATTEMPT_MS = 5000

/** Once the port answers a handshake: some listen before their servers are ready. */
async function connected(open: () => Promise<Link>, signal: AbortSignal): Promise<Link> {
  let link: Link | undefined | void
  await until(async () => {
    link = await Promise.race([open(), pause(ATTEMPT_MS)]).catch(() => undefined)
    return link !== undefined
  }, signal)
  if (!link) throw new Error('unreachable')
  return link
}

function configFile(folder: string, servers: number, more: object): string {
  const entry = { command: process.execPath, args: [ECHO_SERVER], ...more }
  const names = Array.from({ length: servers }, (_, at) => [`s${at}`, entry])
  const file = path.join(folder, 'servers.json')
  writeFileSync(file, JSON.stringify({ mcpServers: Object.fromEntries(names) }))
  return file
}

/** A peer over Streamable HTTP that is told its port. */
function httpPeer(
  name: string,
  args: (port: number, folder: string, servers: number) => readonly string[],
): Pick<Contender, 'name' | 'way' | 'start'> {
  return {
    name,
    way: 'http',
    async start(servers, folder, signal) {
      const port = await freePort()
      node(name, args(port, folder, servers), folder).stdout?.resume()
      await listening(port, signal)
      return await connected(() => openHttpLink(`http://127.0.0.1:${port}/mcp`), signal)
    },
  }
}

const direct: Contender = {
  ...httpPeer('direct', (port) => [here('direct-server.mjs'), String(port)]),
  isSingle: true,
}

const supergateway: Contender = {
  ...httpPeer('supergateway', (port) => [
    script('supergateway/dist/index.js'),
    '--stdio',
    `${process.execPath} ${ECHO_SERVER}`,
    '--outputTransport',
    'streamableHttp',
    '--stateful',
    '--logLevel',
    'none',
    '--port',
    String(port),
  ]),
  isSingle: true,
}

const mcpProxy: Contender = {
  ...httpPeer('mcp-proxy', (port) => [
    script('mcp-proxy/dist/bin/mcp-proxy.mjs'),
    '--host',
    '127.0.0.1',
    '--server',
    'stream',
    '--port',
    String(port),
    '--',
    process.execPath,
    ECHO_SERVER,
  ]),
  isSingle: true,
}

const mcpHub: Contender = {
  name: 'mcp-hub',
  way: 'http',
  async start(servers, folder, signal) {
    const port = await freePort()
    const config = configFile(folder, servers, {})
    const args = [script('mcp-hub/dist/cli.js'), '--port', String(port), '--config', config]
    node('mcp-hub', args, folder).stdout?.resume()
    await listening(port, signal)
    return await connected(() => openSseLink(`http://127.0.0.1:${port}/mcp`), signal)
  },
}

const KEPT = { lifecycle: 'keep-alive' }

const mcporterHttp: Contender = httpPeer('mcporter', (port, folder, servers) => [
  script('mcporter/dist/cli.js'),
  'serve',
  '--http',
  String(port),
  '--config',
  configFile(folder, servers, KEPT),
])

const mcporterStdio: Contender = {
  name: 'mcporter-stdio',
  way: 'stdio',
  start: async (servers, folder) =>
    await openLineLink(
      node(
        'mcporter-stdio',
        [
          script('mcporter/dist/cli.js'),
          'serve',
          '--stdio',
          '--config',
          configFile(folder, servers, KEPT),
        ],
        folder,
      ),
    ),
}

const mcpHubMcp: Contender = {
  name: 'mcp-hub-mcp',
  way: 'stdio',
  start: async (servers, folder) =>
    await openLineLink(
      node(
        'mcp-hub-mcp',
        [script('mcp-hub-mcp/dist/index.js'), '--config-path', configFile(folder, servers, {})],
        folder,
      ),
    ),
  callOf: (toolName, toolArgs) => ({
    name: 'call-tool',
    arguments: { serverName: 's0', toolName, toolArgs },
  }),
}

/** Runs one command of the built program to its end. */
function cordon(name: string, folder: string, args: readonly string[]): string {
  const ran = spawnSync(process.execPath, [LAUNCHER, ...args], {
    cwd: folder,
    env: cordonEnvironment(name, folder),
    encoding: 'utf8',
  })
  if (ran.status !== 0) throw new Error(`cordon ${args.join(' ')}: ${ran.stdout}${ran.stderr}`)
  return ran.stdout
}

function cordonEnvironment(name: string, folder: string): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env
  const CORDON_HOME = path.join(folder, 'home')
  return { PATH, HOME, CORDON_HOME, CORDON_PORT: '0', ...markFor(name) }
}

/**
 * Servers and client are registered before, as they are in a home that has been used: every server's tools were seen.
 * Nothing runs afterwards.
 */
async function furnish(
  name: string,
  servers: number,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  cordon(name, folder, ['up', '--detach'])
  for (let at = 0; at < servers; at += 1) {
    cordon(name, folder, ['mcp', 'add', `s${at}`, '--', process.execPath, ECHO_SERVER])
  }
  cordon(name, folder, ['client', 'add', 'bench'])
  await until(() => {
    const listed = JSON.parse(cordon(name, folder, ['--json', 'mcp', 'list'])) as Listed
    return listed.servers.every(({ state }) => state.tools > 0)
  }, signal)
  cordon(name, folder, ['down'])
}

interface Listed {
  readonly servers: readonly { readonly state: { readonly tools: number } }[]
}

const cordonHttp: Contender & { readonly furnish: typeof furnish } = {
  name: 'cordon',
  way: 'http',
  furnish,
  async start(_servers, folder) {
    cordon('cordon', folder, ['up', '--detach'])
    const { url } = JSON.parse(cordon('cordon', folder, ['--json', 'client', 'list'])) as {
      url: string
    }
    const token = readFileSync(path.join(folder, 'home', 'clients', 'bench.key'), 'utf8').trim()
    return await openHttpLink(url, token)
  },
}

const cordonStdio: Contender & { readonly furnish: typeof furnish } = {
  name: 'cordon-stdio',
  way: 'stdio',
  furnish,
  async start(_servers, folder) {
    const child = spawn(process.execPath, [LAUNCHER, 'gateway', '--client', 'bench'], {
      cwd: folder,
      env: cordonEnvironment('cordon-stdio', folder),
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    return await openLineLink(child)
  },
}

/** Makes a contender's folder; for Cordon also the home with its servers. Not measured. */
export async function prepare(
  contender: Contender,
  servers: number,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  if ('furnish' in contender) await furnish(contender.name, servers, folder, signal)
}

export const CONTENDERS: readonly Contender[] = [
  direct,
  cordonHttp,
  supergateway,
  mcpProxy,
  mcpHub,
  mcporterHttp,
  cordonStdio,
  mcporterStdio,
  mcpHubMcp,
]
