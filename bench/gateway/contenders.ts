/** The gateways that are measured, each started as its own documentation says, in front of the same server. */
import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import path from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { freePort } from '../../test/fixtures/free-port.ts'
import { type Contender, ECHO_SERVER } from './contender.ts'
import { cordonHttp, cordonSse, cordonStdio } from './cordon-contenders.ts'
import { markFor } from './gateway-processes.ts'
import { type Link, openHttpLink, openLineLink, openSseLink } from './link.ts'
import { until } from './within.ts'

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url))
const root = here('../../')
const bin = path.join(root, 'node_modules', '.cache', 'cordon-gateway-peers', 'node_modules')

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
  way: 'sse',
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

/** Makes a contender's folder; for Cordon also the home with its servers. Not measured. */
export async function prepare(
  contender: Contender,
  servers: number,
  folder: string,
  signal: AbortSignal,
): Promise<void> {
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  await contender.furnish?.(contender.name, servers, folder, signal)
}

export const CONTENDERS: readonly Contender[] = [
  direct,
  cordonHttp,
  supergateway,
  mcpProxy,
  mcporterHttp,
  cordonSse,
  mcpHub,
  cordonStdio,
  mcporterStdio,
  mcpHubMcp,
]
