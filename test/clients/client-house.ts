/** A kernel with sandboxed servers for other people's clients, and the way to run such a client. For tests only. */
import { type ChildProcess, spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Output } from '../../src/api/contract.ts'
import { startServers } from '../fixtures/gateway-clients.ts'
import {
  type Cordon,
  environmentFor,
  finish,
  MAIN,
  openCordon,
  type Ran,
} from '../fixtures/cordon.ts'
import { programOf, type TriedName } from '../fixtures/tried-clients.ts'

export interface ClientHouse extends AsyncDisposable {
  readonly cordon: Cordon
  readonly url: string
  readonly token: string
  /** `mcpServers` with the gateway as `lines` and as `web`. */
  readonly config: string
  start(
    client: TriedName,
    args: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ): Promise<ChildProcess>
  run(
    client: TriedName,
    args: readonly string[],
    environment?: Readonly<Record<string, string>>,
  ): Promise<Ran>
  /** The log of a server, as `cordon mcp logs` shows it. */
  logs(server: string): Promise<string>
}

/** Requests of a client to the internet end at a closed port of this machine. */
const ALONE = {
  HTTPS_PROXY: 'http://127.0.0.1:9',
  HTTP_PROXY: 'http://127.0.0.1:9',
  NO_PROXY: '127.0.0.1,localhost',
  CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
  DISABLE_AUTOUPDATER: '1',
  MCP_INSPECTOR_SECRET_STORE: 'memory',
  GEMINI_CLI_TRUST_WORKSPACE: 'true',
} as const

export async function openClientHouse(): Promise<ClientHouse> {
  await using stack = new AsyncDisposableStack()
  const cordon = stack.use(openCordon())
  await startServers(cordon, { echo: ['echo'], asker: ['asker'], slow: ['slow'] })
  // A call that ends by a limit of Cordon's own would look like one that its client cancelled.
  await cordon.ask(['mcp', 'edit', 'slow', '--call-timeout', '1h'])
  await cordon.ask(['client', 'add', 'test'])
  const { url = '' } = await cordon.ask<Output<'clients.list'>>(['client', 'list'])
  const token = readFileSync(path.join(cordon.home, 'clients', 'test.key'), 'utf8').trim()
  const config = path.join(path.dirname(cordon.home), 'mcp.json')
  writeFileSync(config, JSON.stringify({ mcpServers: serversFor(cordon, url, token) }))
  const children: ChildProcess[] = []
  stack.defer(() => {
    for (const child of children) interrupt(child, 'SIGKILL')
  })
  const start: ClientHouse['start'] = async (client, args, environment = {}) => {
    const [command, ...before] = await programOf(client)
    const child = spawn(command, [...before, ...args], {
      cwd: path.dirname(cordon.home),
      env: environmentFor(cordon.home, { ...ALONE, ...environment }),
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true, // a process group of its own, as a terminal gives it
    })
    children.push(child)
    return child
  }
  const owned = stack.move()
  return {
    cordon,
    url,
    token,
    config,
    start,
    run: async (client, args, environment) => await finish(await start(client, args, environment)),
    logs: async (server) => (await cordon.run(['mcp', 'logs', server])).stdout,
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** To the whole group, as a terminal does on Ctrl-C: some clients start themselves a second time. */
export function interrupt({ pid }: ChildProcess, signal: NodeJS.Signals = 'SIGINT'): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch {
    // all of them have ended
  }
}

function serversFor({ home }: Cordon, url: string, token: string): object {
  const args = [MAIN, 'gateway', '--client', 'test']
  return {
    lines: { command: process.execPath, args, env: environmentFor(home) },
    web: { type: 'http', url, headers: { Authorization: `Bearer ${token}` } },
  }
}
