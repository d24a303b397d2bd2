/** A home with badly behaved servers, and the real kernel on it, run as the tested user. */
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { MAIN } from '../fixtures/cordon.ts'
import { type Reaped, reap } from './reaper.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const kernel = ['--disallow-code-generation-from-strings', MAIN, 'up']
const STUBBORN = 'stubborn'

export interface DoomedHouse {
  readonly socketPath: string
  /** How many servers of the house connect and stay connected. */
  readonly steady: number
  start(): Promise<Reaped>
  /** Adds or removes the server that ignores every request to end, which takes eight seconds to stop. */
  setStubborn(present: boolean): void
}

/** `become`: the command prefix that runs a program as the tested user, whose user id is `owner`. */
export function buildHouse(become: readonly string[], owner: number): DoomedHouse {
  const folder = mkdtempSync('/var/tmp/cordon-leaks-')
  chmodSync(folder, 0o755)
  const servers = path.join(folder, 'servers')
  cpSync(path.join(root, 'test/fixtures/servers'), servers, { recursive: true })
  chmodSync(servers, 0o755)
  const home = path.join(folder, 'home')
  mkdirSync(path.join(home, 'mcp'), { recursive: true, mode: 0o700 })
  const definitionPath = (name: string): string => path.join(home, 'mcp', `${name}.toml`)
  const define = (name: string, command: readonly string[]): void => {
    writeFileSync(definitionPath(name), definition(command, servers), { mode: 0o600 })
  }
  const all = commands(servers)
  for (const [name, command] of Object.entries(all)) define(name, command)
  const give = (): void => void execFileSync('chown', ['-R', `${owner}:${owner}`, home])
  give()
  const environment = {
    PATH: process.env['PATH'] ?? '',
    NODE_COMPILE_CACHE: compiledFor(owner),
    HOME: folder,
    CORDON_HOME: home,
    CORDON_PORT: '0',
  }
  return {
    socketPath: path.join(home, 'run', 'cordon.sock'),
    steady: Object.keys(all).length - 1,
    start: () => reap([...become, process.execPath, ...kernel], environment),
    setStubborn(present) {
      if (!present) return rmSync(definitionPath(STUBBORN), { force: true })
      define(STUBBORN, [...NODE, path.join(servers, 'crasher.mjs'), 'ignores-stop'])
      give()
    },
  }
}

/**
 * The compile cache, without which each start would compile the whole source. It lies in the checkout, where no trace
 * is searched for, and belongs to the tested user.
 */
function compiledFor(owner: number): string {
  const folder = path.join(root, 'node_modules', '.cache', `cordon-compiled-${owner}`)
  mkdirSync(folder, { recursive: true })
  execFileSync('chown', [`${owner}:${owner}`, folder])
  return folder
}

const NODE = ['node']

/** Servers that are honest, slow, crashing again and again, or leave daemons behind. */
function commands(servers: string): Readonly<Record<string, readonly string[]>> {
  const script = (name: string): string => path.join(servers, `${name}.mjs`)
  const daemon = `setsid sh -c 'trap "" TERM HUP; env -i sleep 600 & wait' >/dev/null 2>&1 &`
  return {
    echo: [...NODE, script('echo')],
    slow: [...NODE, script('slow')],
    daemons: ['sh', '-c', `(${daemon}) ; (${daemon}) ; exec node ${script('echo')}`],
    dying: [...NODE, script('crasher'), 'after-start'],
  }
}

function definition([command, ...args]: readonly string[], folder: string): string {
  return [
    'start = "eager"',
    'allowed_domains = ["api.example.com"]',
    '[server]',
    `command = ${JSON.stringify(command)}`,
    `args = ${JSON.stringify(args)}`,
    '[sandbox]',
    `read_paths = ${JSON.stringify([folder])}`,
    '[tools.echo]',
    'semantics = "read"', // non-interactive: an approval would never be answered
    '',
  ].join('\n')
}
