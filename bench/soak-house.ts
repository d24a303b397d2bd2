/** The real house with ten sandboxed servers, for the soak: calls servers, kills them, lists the connected ones. */
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { openHouse } from '../src/house/open-house.ts'
import type { Api } from '../src/api/contract.ts'

export interface SoakHouse {
  readonly api: Api
  readonly servers: readonly string[]
  /** Kills the server process inside its sandbox; false where none was running. */
  killServer(server: string): Promise<boolean>
  connected(): Promise<readonly string[]>
  close(): Promise<void>
  /** The number of server processes and cgroups that still exist; asked after `close`. */
  leftovers(): number
}

const ECHO = ['echo-1', 'echo-2', 'echo-3', 'echo-4', 'echo-5', 'echo-6', 'echo-7']
const SLOW = ['slow-1', 'slow-2', 'slow-3']

export async function openSoakHouse(): Promise<SoakHouse> {
  const folder = mkdtempSync('/var/tmp/cordon-soak-')
  chmodSync(folder, 0o755) // the servers are not root, even where Cordon is
  const scripts = path.join(folder, 'servers')
  cpSync(fileURLToPath(new URL('../test/fixtures/servers/', import.meta.url)), scripts, {
    recursive: true,
  })
  const homePath = path.join(folder, 'home')
  mkdirSync(path.join(homePath, 'mcp'), { recursive: true, mode: 0o700 })
  for (const name of [...ECHO, ...SLOW]) {
    const script = path.join(scripts, `${name.split('-')[0]}.mjs`)
    writeFileSync(path.join(homePath, 'mcp', `${name}.toml`), definition(script, scripts), {
      mode: 0o600,
    })
  }
  const kernel = await openHouse({
    version: '0',
    homePath,
    port: 0,
    page: false,
    databaseUrl: undefined,
    environment: {},
    entry: '',
  })
  const states = async () => (await kernel.call('mcp.list', {})).servers
  return {
    api: kernel,
    servers: [...ECHO, ...SLOW],
    async connected() {
      const all = await states()
      return all.filter(({ state }) => state.badge === 'connected').map(({ server }) => server)
    },
    async killServer(server) {
      const found = (await states()).find((one) => one.server === server)
      return kill(childOf(found?.state.pid))
    },
    async close() {
      await kernel[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true })
    },
    leftovers: () => processesWith(scripts) + cgroups(),
  }
}

const TOOLS = ['echo', 'sum', 'slug', 'fail', 'big', 'sleep']

function definition(script: string, folder: string): string {
  const lines = ['start = "eager"', 'allowed_domains = ["api.example.com"]', '[server]']
  const server = ['command = "node"', `args = ${JSON.stringify([script])}`]
  const sandbox = ['[sandbox]', `read_paths = ["${folder}"]`]
  // Reads need no approval; nobody is there to give one.
  const tools = TOOLS.flatMap((tool) => [`[tools.${tool}]`, 'semantics = "read"'])
  return [...lines, ...server, ...sandbox, ...tools, ''].join('\n')
}

/** The server is the child of the sandbox's first process. */
function childOf(pid: number | undefined): number | undefined {
  const text = pid === undefined ? undefined : read(`/proc/${pid}/task/${pid}/children`)
  const child = Number(text?.split(' ')[0])
  return child > 1 ? child : undefined
}

function kill(pid: number | undefined): boolean {
  try {
    return pid !== undefined && process.kill(pid, 'SIGKILL')
  } catch {
    return false
  }
}

function processesWith(text: string): number {
  return globSync('/proc/[0-9]*/cmdline').filter((file) => read(file)?.includes(text)).length
}

function cgroups(): number {
  return globSync(`/sys/fs/cgroup/**/cordon-${process.pid}-*`).length
}

function read(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return undefined
  }
}
