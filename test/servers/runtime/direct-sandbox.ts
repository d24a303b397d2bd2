/** Stand-ins for the runtime's ports: a "sandbox" that only starts the process, and rooms in memory. For tests only. */
import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import type { AuditEvent } from '../../../src/kernel/audit-record.ts'
import { CordonError } from '../../../src/kernel/error.ts'
import type { Json } from '../../../src/text/json.ts'
import { OWNER } from '../../../src/kernel/principal.ts'
import type { LaunchSpec, ProcessEnd, SandboxedProcess } from '../../../src/kernel/sandbox-port.ts'
import type { ServerDefinition } from '../../../src/kernel/server-definition.ts'
import { parseServerId, type ServerId } from '../../../src/kernel/server-id.ts'
import type { ToolResult } from '../../../src/kernel/tool-call.ts'
import { Capability } from '../../../src/kernel/capability.ts'
import {
  type OwnedServers,
  openServers,
  type ServerDeps,
} from '../../../src/servers/open-servers.ts'
import type { SecretFinder } from '../../../src/kernel/ports.ts'
import { createRedactor, type TeachableRedactor } from '../../../src/vault/redactor.ts'
import { never } from '../../../src/kernel/test-never.ts'

export { never } from '../../../src/kernel/test-never.ts'

export const owner: ServerDeps['owner'] = OWNER.id
const fixtures = fileURLToPath(new URL('../../fixtures/servers/', import.meta.url))

export interface TestHouse extends AsyncDisposable {
  readonly rooms: ServerDeps
  /** Finds the secrets that were lent. */
  readonly secrets: SecretFinder
  readonly servers: OwnedServers
  readonly folder: string
  readonly events: AuditEvent[]
  readonly told: string[]
  /** Every launch, in order. */
  readonly launches: { readonly spec: LaunchSpec; readonly process: SandboxedProcess }[]
  /** How many launched processes run now. */
  running(): number
  call(server: string, name: string, args?: Record<string, Json>): Promise<ToolResult>
}

export interface HouseOptions extends Partial<ServerDeps> {
  readonly secrets?: Readonly<Record<string, string>>
}

export function define(
  id: string,
  fixture: string,
  more: Partial<ServerDefinition> = {},
): ServerDefinition {
  const [file = '', ...args] = fixture.split(' ')
  return {
    id: parseServerId(id),
    name: id,
    description: '',
    label: 'internal',
    transport: 'stdio',
    command: process.execPath,
    args: [path.join(fixtures, `${file}.mjs`), ...args],
    allowedDomains: [],
    enabled: true,
    start: 'lazy',
    scopes: [],
    env: {},
    auth: {},
    sandbox: {
      mode: 'bwrap',
      memoryLimitBytes: 256 * 2 ** 20,
      readOnlyFs: true,
      allowTmp: true,
      readPaths: [],
      writePaths: [],
    },
    tools: {},
    config: {},
    ...more,
  }
}

/** A test may change the list of definitions later; `refresh` reads it again. */
export async function openHouse(
  definitions: ServerDefinition[],
  options: HouseOptions = {},
): Promise<TestHouse> {
  const folder = options.pinsFolder ?? (await mkdtemp(path.join(tmpdir(), 'cordon-runtime-')))
  const events: AuditEvent[] = []
  const told: string[] = []
  const launches: TestHouse['launches'] = []
  const fakes = fakeRooms(events, options.secrets ?? {})
  const rooms: ServerDeps = {
    definitions: {
      load: async () => ({
        servers: definitions.map((definition) => ({
          definition,
          scope: 'user',
          path: '',
          warnings: [],
        })),
        problems: [],
      }),
    },
    sandbox: {
      async launch(spec) {
        const launched = await launchDirectly(spec)
        launches.push({ spec, process: launched })
        return launched
      },
    },
    egress: {
      guard: () => ({ blocked: 0, reached: [], [Symbol.asyncDispose]: async () => undefined }),
      tunnel: () => ({ blocked: 0, reached: [], [Symbol.asyncDispose]: async () => undefined }),
      createSeal: () => {
        throw new Error('Nothing is sealed here')
      },
      createFetch: () => globalThis.fetch,
      connectLocal: () => Promise.reject(new Error('There is no local server')),
      createLocalFetch: () => globalThis.fetch,
    },
    ...fakes,
    owner,
    pinsFolder: folder,
    certsFolder: folder,
    notices: {
      raise: (kind, server, items = [], reason = '') =>
        void told.push([kind, server, ...items, reason].filter(Boolean).join(' ')),
      resolve: () => undefined,
    },
    ...options,
    timings: { restartDelaysMs: [20, 20, 20], startMs: 300_000, relistMs: 10, ...options.timings },
  }
  const servers = await openServers(rooms)
  return {
    rooms,
    secrets: fakes.redactor,
    servers,
    folder,
    events,
    told,
    launches,
    running: () => launches.filter(({ process: { pid } }) => isAlive(pid)).length,
    call: (server, name, args = {}) => servers.call(toolCall(server, name, args), never),
    async [Symbol.asyncDispose]() {
      await servers[Symbol.asyncDispose]()
      if (!options.pinsFolder) await rm(folder, { recursive: true })
    },
  }
}

/** A capability as the door would issue it. */
export function toolCall(
  server: string,
  name: string,
  args: Record<string, Json>,
  callId = 'c1',
): Capability {
  const tool = { server: server as ServerId, name }
  return Capability.issue({ callId, principal: OWNER, tool, args }, Date.now())
}

/** False for a zombie too: a process that has ended but was not reaped. */
export function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z'
  } catch {
    return false
  }
}

function fakeRooms(
  events: AuditEvent[],
  secrets: Readonly<Record<string, string>>,
): Pick<ServerDeps, 'vault' | 'audit' | 'consents' | 'log' | 'files'> & {
  readonly redactor: TeachableRedactor
} {
  const redactor = createRedactor()
  const append = (event: AuditEvent) => {
    events.push(event)
    return { ...event, seq: events.length, at: '', prev: '', hash: '' }
  }
  return {
    redactor,
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    audit: { append, appendDurable: async (event) => append(event) },
    consents: createConsents(),
    vault: {
      resolves: async (_owner, { name }) => Object.hasOwn(secrets, name),
      async lease(_owner, refs) {
        const values = new Map(
          Object.entries(refs).map(([key, { name }]) => [key, Buffer.from(secrets[name] ?? '')]),
        )
        for (const value of values.values()) redactor.learn(value)
        return {
          value: (key) => values.get(key) ?? Buffer.alloc(0),
          [Symbol.asyncDispose]: async () => values.clear(),
        }
      },
    },
    files: {
      read: (file) => readFile(file).catch(() => undefined),
      async write(file, content) {
        await mkdir(path.dirname(file), { recursive: true })
        await writeFile(file, content)
      },
    },
  }
}

async function launchDirectly(spec: LaunchSpec): Promise<SandboxedProcess> {
  const child = spawn(spec.command, spec.args, { env: spec.environment, stdio: 'pipe' })
  const ended = Promise.withResolvers<ProcessEnd>()
  child.once('exit', (code, signal) =>
    ended.resolve(signal ? { kind: 'signalled', signal } : { kind: 'exited', code: code ?? 0 }),
  )
  await new Promise((resolve, reject) => {
    child.once('spawn', resolve)
    child.once('error', reject)
  }).catch((cause: unknown) => {
    const message = `Cannot find command ${JSON.stringify(spec.command)}`
    throw new CordonError('sandbox.command', { exit: 5, hint: 'Install it' }, message, cause)
  })
  const stop = async (): Promise<ProcessEnd> => {
    child.stdin.end()
    const kill = setTimeout(() => child.kill('SIGKILL'), 200)
    return await ended.promise.finally(() => clearTimeout(kill))
  }
  return {
    pid: child.pid ?? 0,
    stdin: child.stdin,
    stdout: child.stdout,
    stderr: child.stderr,
    memoryLayer: 'rlimit+watchdog',
    tunnels: [],
    ended: ended.promise,
    memoryBytes: async () => 1024,
    stop,
    [Symbol.asyncDispose]: async () => void (await stop()),
  }
}

function createConsents(): ServerDeps['consents'] {
  const given = new Map<string, string>()
  return {
    given: async (subject) => given.get(subject),
    give: async (subject, hash) => void given.set(subject, hash),
    withdraw: async (subject) => void given.delete(subject),
  }
}
