/**
 * A read-only call through the one door, recorded durably and answered by a sandboxed server, against the bare SDK
 * client with the same server unsandboxed. Both take turns in one run; the cost of the disk's sync is shown separately.
 */
import { chmodSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { openAudit } from '../src/audit/open-audit.ts'
import { createDefinitionStamp } from '../src/definitions/definition-stamp.ts'
import { createEgress } from '../src/egress/create-egress.ts'
import { createFiles } from '../src/home/files.ts'
import { callTool } from '../src/kernel/call-tool.ts'
import { Capability } from '../src/kernel/capability.ts'
import { ownCall } from '../src/kernel/own-call.ts'
import type { Audit, Log } from '../src/kernel/ports.ts'
import { OWNER } from '../src/kernel/principal.ts'
import type { ServerDefinition } from '../src/kernel/server-definition.ts'
import { parseServerId } from '../src/kernel/server-id.ts'
import { never } from '../src/kernel/test-never.ts'
import { createPolicy } from '../src/policy/create-policy.ts'
import { openToldLabels } from '../src/policy/open-told-labels.ts'
import { pinPath } from '../src/home/pin-path.ts'
import { openSandbox } from '../src/sandbox/open-sandbox.ts'
import { openServers } from '../src/servers/open-servers.ts'
import { createRedactor } from '../src/vault/redactor.ts'
import { type BenchReport, quantile } from './report.ts'

const WARM_UP = 500
const ROUNDS = 2000
const IN_FLIGHT = 32
const CROWD_MS = 1000
const CROWD_TURNS = 10

const log: Log = { info: () => {}, warn: () => {}, error: () => {} }
const server = parseServerId('echo')
type Call = () => Promise<unknown>

export async function run(): Promise<BenchReport> {
  // Beside the checkout, not in the temporary folder: that may lie in memory, where a sync costs nothing.
  const cache = fileURLToPath(new URL('../.cache/', import.meta.url))
  mkdirSync(cache, { recursive: true })
  const home = mkdtempSync(path.join(cache, 'bench-call-'))
  try {
    return await measure(home)
  } finally {
    rmSync(home, { recursive: true })
  }
}

async function measure(home: string): Promise<BenchReport> {
  const packageFolder = mkdtempSync('/var/tmp/cordon-bench-echo-')
  chmodSync(packageFolder, 0o755) // the server is not root, even where Cordon is
  const script = path.join(packageFolder, 'echo.mjs')
  cpSync(fileURLToPath(new URL('../test/fixtures/servers/echo.mjs', import.meta.url)), script)
  mkdirSync(path.join(home, 'mcp'))
  writeFileSync(path.join(home, 'mcp', `${server}.toml`), '') // looked at before every call, and never read here
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rmSync(packageFolder, { recursive: true }))
  const redactor = createRedactor()
  const openLog = async (name: string, sync: object) => {
    const paths = { folder: path.join(home, name), anchorPath: path.join(home, `${name}-head`) }
    return stack.use(await openAudit({ owner: OWNER.id, ...paths, redactor, log, ...sync }))
  }
  const audit = await openLog('audit', {})
  const unsynced = await openLog('unsynced', { fdatasync: async () => undefined })
  const direct = await openDirect(script, stack)
  const parts = { home, script, packageFolder, redactor }
  const { door, room } = await openDoor({ ...parts, audit }, stack)
  const quick = await openDoor({ ...parts, audit: unsynced }, stack)
  return await compare({ direct, room, unsynced: quick.door, door }, audit)
}

interface Contenders {
  /** The bare SDK client. */
  readonly direct: Call
  /** The servers room alone: sandbox, limits, schema, redaction, label; no decision and no audit record. */
  readonly room: Call
  /** The whole door, with a sync that does nothing. */
  readonly unsynced: Call
  /** The whole door. */
  readonly door: Call
}
const NAMES = ['direct', 'room', 'unsynced', 'door'] as const

async function compare(calls: Contenders, audit: Audit): Promise<BenchReport> {
  const taken = await inTurns(calls)
  const crowd = await crowds(calls)
  const event = { kind: 'call.begin', principal: OWNER.id } as const
  const syncs: number[] = []
  for (let round = 0; round < ROUNDS; round += 1) {
    syncs.push(await time(() => audit.appendDurable(event)))
  }
  const direct = quantile(taken.direct, 0.5)
  const perSecond = quantile(crowd.direct, 0.5)
  const ratio = { unit: '×', kind: 'most', limit: 1.35 } as const
  const share = { unit: '×', kind: 'least', limit: 0.7 } as const
  const vsDirect = (name: keyof Contenders) => quantile(taken[name], 0.5) / direct
  const vsCrowd = (name: keyof Contenders) => quantile(crowd[name], 0.5) / perSecond
  return {
    figures: [
      ...NAMES.map((name) => ({
        name: `${name} p50`,
        value: quantile(taken[name], 0.5),
        unit: 'ms',
      })),
      { name: 'door p95', value: quantile(taken.door, 0.95), unit: 'ms' },
      { name: 'one durable append p50', value: quantile(syncs, 0.5), unit: 'ms' },
      { name: 'room vs direct p50', value: vsDirect('room'), unit: '×' },
      { name: 'unsynced vs direct p50', value: vsDirect('unsynced'), unit: '×' },
      ...NAMES.map((name) => ({
        name: `${name}, ${IN_FLIGHT} in flight`,
        value: quantile(crowd[name], 0.5),
        unit: '/s',
      })),
    ],
    bars: [
      { name: 'call through the door vs bare SDK, p50', value: vsDirect('door'), ...ratio },
      {
        name: `calls per second vs bare SDK, ${IN_FLIGHT} in flight`,
        value: vsCrowd('door'),
        ...share,
      },
    ],
  }
}

type Samples = Record<keyof Contenders, number[]>

/** Each round makes one call of every contender. */
async function inTurns(calls: Contenders): Promise<Samples> {
  const taken: Samples = { direct: [], room: [], unsynced: [], door: [] }
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    for (const name of NAMES) {
      const ms = await time(calls[name])
      if (round >= 0) taken[name].push(ms)
    }
  }
  return taken
}

async function crowds(calls: Contenders): Promise<Samples> {
  const done: Samples = { direct: [], room: [], unsynced: [], door: [] }
  for (let turn = 0; turn < CROWD_TURNS; turn += 1) {
    for (const name of NAMES) done[name].push(await perSecond(calls[name]))
  }
  return done
}

async function openDirect(script: string, stack: AsyncDisposableStack): Promise<Call> {
  const client = new Client({ name: 'bench', version: '0' })
  const transport = new StdioClientTransport({ command: process.execPath, args: [script] })
  await client.connect(transport)
  stack.defer(() => client.close())
  return async () => {
    await client.callTool({ name: 'echo', arguments: { text: 'hello' } })
  }
}

interface Parts {
  readonly home: string
  readonly script: string
  readonly packageFolder: string
  readonly audit: Audit
  readonly redactor: ReturnType<typeof createRedactor>
}

async function openDoor(
  parts: Parts,
  stack: AsyncDisposableStack,
): Promise<Pick<Contenders, 'door' | 'room'>> {
  const { home, audit, redactor } = parts
  const places = { pinPath, nodePath: process.execPath, cordonHome: home, userHome: homedir() }
  const sandbox = stack.use(await openSandbox(places))
  const folders = [path.join(home, 'mcp'), path.join(home, 'etc')]
  const rows = { list: async () => [], get: async () => undefined, put: async () => undefined }
  const told = await openToldLabels({
    rows: { ...rows, remove: async () => false, prune: async () => undefined },
    audit,
    isShared: false,
  })
  const servers = stack.use(
    await openServers({
      definitions: {
        stamp: createDefinitionStamp(folders),
        load: async () => ({
          servers: [{ definition: definitionOf(parts), scope: 'user', path: '', warnings: [] }],
          problems: [],
        }),
      },
      sandbox,
      egress: createEgress({ owner: OWNER.id, audit, log }),
      vault: {
        resolves: async () => true,
        lease: async () => ({
          value: () => Buffer.alloc(0),
          [Symbol.asyncDispose]: async () => undefined,
        }),
      },
      audit,
      consents: {
        given: async () => undefined,
        give: async () => undefined,
        withdraw: async () => undefined,
      },
      log,
      redactor,
      files: createFiles(),
      owner: OWNER.id,
      pinsFolder: path.join(home, 'pins'),
      certsFolder: path.join(home, 'certs'),
      notices: { raise: () => undefined, resolve: () => undefined },
      elicit: async () => ({ action: 'cancel' }),
    }),
  )
  await servers.start(server, never)
  const rooms = {
    policy: createPolicy({
      secrets: redactor,
      grantsFor: () => [],
      isEndorsed: () => false,
      alarm: () => undefined,
    }),
    approvals: {
      ask: async () => ({ kind: 'refused', rule: 'approval.nobody', reason: '' }) as const,
      askTogether: async () => undefined,
      useGrant: async () => false,
    },
    audit,
    servers,
    told,
  }
  const call = {
    callId: 'c',
    principal: OWNER,
    tool: { server, name: 'echo' },
    args: { text: 'hello' },
  }
  const check = (result: { readonly kind: string; readonly reason?: string }): void => {
    if (result.kind !== 'ok') throw new Error(result.reason)
  }
  return {
    room: async () => check(await servers.call(Capability.issue(call, Date.now()), never)),
    door: async () =>
      check(await callTool(rooms, ownCall(OWNER, call.tool, call.args, 'c'), never)),
  }
}

function definitionOf({ script, packageFolder }: Parts): ServerDefinition {
  return {
    id: server,
    name: 'Echo',
    description: '',
    label: 'internal',
    transport: 'stdio',
    command: 'node',
    args: [script],
    allowedDomains: [],
    enabled: true,
    start: 'eager',
    scopes: [],
    env: {},
    auth: {},
    sandbox: {
      mode: 'bwrap',
      memoryLimitBytes: 256 * 2 ** 20,
      readOnlyFs: true,
      allowTmp: true,
      readPaths: [packageFolder],
      writePaths: [],
    },
    tools: {},
    config: {},
  }
}

async function time(call: Call): Promise<number> {
  const began = performance.now()
  await call()
  return performance.now() - began
}

async function perSecond(call: Call): Promise<number> {
  const began = performance.now()
  let done = 0
  const caller = async (): Promise<void> => {
    while (performance.now() - began < CROWD_MS) {
      await call()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller))
  return (done / (performance.now() - began)) * 1000
}
