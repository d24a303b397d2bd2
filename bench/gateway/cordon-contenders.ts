/** Cordon as a contender: the built program, started by itself with sandbox, policy and audit, over each way that it serves. */
import { spawn, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { type Contender, ECHO_SERVER } from './contender.ts'
import { markFor } from './gateway-processes.ts'
import { openHttpLink, openLineLink, openSseLink } from './link.ts'
import { until } from './within.ts'

const LAUNCHER = fileURLToPath(new URL('../../bin/cordon.cjs', import.meta.url))

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

/** Starts the kernel; where clients find it, and the token of one. */
function upWithClient(name: string, folder: string): { readonly url: string; token: string } {
  cordon(name, folder, ['up', '--detach'])
  const { url } = JSON.parse(cordon(name, folder, ['--json', 'client', 'list'])) as { url: string }
  const token = readFileSync(path.join(folder, 'home', 'clients', 'bench.key'), 'utf8').trim()
  return { url, token }
}

export const cordonHttp: Contender = {
  name: 'cordon',
  way: 'http',
  furnish,
  async start(_servers, folder) {
    const { url, token } = upWithClient('cordon', folder)
    return await openHttpLink(url, token)
  },
}

export const cordonSse: Contender = {
  name: 'cordon-sse',
  way: 'sse',
  callsOnly: true,
  furnish,
  async start(_servers, folder) {
    const { url, token } = upWithClient('cordon-sse', folder)
    return await openSseLink(new URL('/sse', url).href, token)
  },
}

export const cordonStdio: Contender = {
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
