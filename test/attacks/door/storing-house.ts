/**
 * Real flows, door, policy, store and file tools, before servers of a few lines. The owner refuses every approval. One
 * folder can be opened several times, as by several processes one after another.
 */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { type MarkedFolders, NO_MARKS } from '../../../src/flows/built-in/file-labels.ts'
import { pinPath } from '../../../src/home/pin-path.ts'
import { openBuiltIns } from '../../../src/flows/built-in/open-built-ins.ts'
import type { FlowDeps } from '../../../src/flows/flow-deps.ts'
import { openFlows } from '../../../src/flows/open-flows.ts'
import { createFiles } from '../../../src/home/files.ts'
import type { AuditEvent } from '../../../src/kernel/audit-record.ts'
import { callFailed } from '../../../src/kernel/call-failure.ts'
import { withBuiltIns } from '../../../src/kernel/built-in-tools.ts'
import type { Effect } from '../../../src/kernel/effect.ts'
import type { StartFlow } from '../../../src/ports/flow-port.ts'
import type { KeptLabels, ToldLabels } from '../../../src/kernel/kept-labels.ts'
import { OWNER } from '../../../src/kernel/principal.ts'
import { parseServerId, type ServerId } from '../../../src/kernel/server-id.ts'
import { factsOf } from '../../../src/kernel/test-facts.ts'
import { never } from '../../../src/kernel/test-never.ts'
import type { Template, ToolCall } from '../../../src/kernel/tool-call.ts'
import type { Role, ToolFacts } from '../../../src/kernel/tool-facts.ts'
import { showTool, type ToolId } from '../../../src/kernel/tool-id.ts'
import type { Label, Level } from '../../../src/labels/label.ts'
import { openToldLabels } from '../../../src/policy/open-told-labels.ts'
import { openStore } from '../../../src/store/open-store.ts'
import type { Json, JsonObject } from '../../../src/text/json.ts'
import { createHouse } from '../../../bench/agentdojo/fake-house.ts'

export interface StoringTool {
  readonly effect: Effect
  readonly args?: Readonly<Record<string, Role>>
  /** Of its answers. */
  readonly level?: Level
  /** Of its server, where it is known before the call. */
  readonly serverLevel?: Level
  readonly others?: Level
  /** The level that the server itself says of this answer. */
  readonly says?: Level
  readonly isReadOnly?: true
  /** Its answer is the text of an error. */
  readonly fails?: true
  run(args: ToolCall['args']): Json
}

export interface StoringWishes {
  readonly folder: string
  readonly tools: Readonly<Record<string, StoringTool>>
  readonly marked?: MarkedFolders
  readonly template?: Template
  /** Takes the rule out: files and servers remember nothing. */
  readonly forgets?: true
}

export interface StoringHouse extends AsyncDisposable {
  readonly told: ToldLabels
  readonly events: readonly AuditEvent[]
  /** `server.tool` of each call that reached a server, with its arguments. */
  readonly reached: readonly (readonly [string, ToolCall['args']])[]
  readonly records: ReturnType<typeof createHouse>['records']
  /** The rule of each step's verdict, as the check before a run says it. */
  foreseen(nodes: readonly JsonObject[]): Promise<readonly string[]>
  /** The rules by which the owner was asked during the run; the problem it ended with. */
  run(nodes: readonly JsonObject[], more?: Partial<StartFlow>): Promise<StoringEnd>
}

export interface StoringEnd {
  readonly asked: readonly string[]
  readonly problem: string | undefined
}

const root = mkdtempSync(path.join(tmpdir(), 'cordon-storing-'))
process.once('exit', () => rmSync(root, { recursive: true, force: true }))

let folders = 0
/** `work` in it is the folder of the runs. */
export function newFolder(): string {
  const folder = path.join(root, String(++folders))
  mkdirSync(path.join(folder, 'work'), { recursive: true })
  return folder
}

const FORGETFUL: KeptLabels = {
  get: async () => undefined,
  list: async () => [],
  put: async () => undefined,
  remove: async () => false,
  prune: async () => undefined,
}

export async function openStoringHouse(wishes: StoringWishes): Promise<StoringHouse> {
  const { folder, forgets } = wishes
  await using stack = new AsyncDisposableStack()
  const log = { info() {}, warn() {}, error() {} }
  const store = stack.use(await openStore({ sqlitePath: path.join(folder, 'state.db'), log }))
  const rows = forgets ? FORGETFUL : store.forOwner(OWNER.id).keptLabels
  const events: AuditEvent[] = []
  const audit = {
    async appendDurable(event: AuditEvent) {
      events.push(event)
      return { seq: 1, hash: '' }
    },
  }
  const told = await openToldLabels({ rows, audit, isShared: false })
  const asked: string[] = []
  const house = createHouse({
    facts: (id) => factsFor(id, wishes.tools[showTool(id)]),
    answer: ({ tool, args }) => answerOf(tool, wishes.tools[showTool(tool)] as StoringTool, args),
    owner({ verdict }) {
      asked.push(verdict.rule)
      return false
    },
  })
  const builtIns = openBuiltIns({
    pinPath,
    models: { clearance: 'public', isLocal: false, pin: 'p', ask: async () => NO_MODEL },
    home: path.join(folder, 'home'),
    userHome: path.join(folder, 'user'),
    keptLabels: rows,
    markedFolders: async () => wishes.marked ?? NO_MARKS,
  })
  const called = house.rooms.servers
  const call: typeof called.call = async (capability, signal) => {
    const result = await called.call(capability, signal)
    const isError = wishes.tools[showTool(capability.tool)]?.fails && result.kind === 'ok'
    return isError ? callFailed('call.status', JSON.stringify(result.value)) : result
  }
  const servers = withBuiltIns({ ...called, call }, builtIns)
  const door = { ...house.rooms, servers, ...(!forgets && { told }) }
  const deps = { ...depsFor(wishes, door, builtIns), log }
  const flows = stack.use(await openFlows(deps))
  flows.begin()
  const owned = stack.move()
  let runs = 0
  return {
    told,
    events,
    records: house.records,
    get reached() {
      return house.reached.map(({ tool, args }) => [showTool(tool), args] as const)
    },
    async foreseen(nodes) {
      const { steps } = await flows.check({ kind: 'ir', ir: { nodes } }, undefined, never)
      return steps.map(({ rule }) => rule)
    },
    async run(nodes, more = {}) {
      const id = `run-${process.hrtime.bigint()}-${++runs}`
      const start = { inputs: {}, approval: 'wait', useCache: true, trust: [] } as const
      const source = { kind: 'ir', ir: { nodes } } as const
      const work = path.join(folder, 'work')
      const before = asked.length
      const whole = { id, source, principal: OWNER, folder: work, ...start, ...more }
      let run = await flows.start(whole, never)
      while (run.state === 'running' || run.state === 'asking') {
        run = (await flows.follow(id, Number.MAX_SAFE_INTEGER, AbortSignal.timeout(20))).run
      }
      const { problem } = await flows.show(id)
      return {
        asked: asked.slice(before),
        problem: problem && `${problem.code} ${problem.message}`,
      }
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

const NO_MODEL = { kind: 'failed', reason: 'There is no model' } as const

function depsFor(
  { folder, tools, template }: StoringWishes,
  door: FlowDeps['door'],
  builtIns: FlowDeps['builtIns'],
): Omit<FlowDeps, 'log'> {
  const named = Object.entries(tools).map(([key, tool]) => ({ id: idOf(key), tool }))
  const of = (server: ServerId) => named.filter(({ id }) => id.server === server)
  return {
    door,
    consented: door.approvals,
    builtIns,
    toolIndex: {
      list: async () =>
        named.map(({ id, tool: { effect } }) => ({
          card: { id, title: id.name, summary: id.name, effect, args: [] },
        })),
      view: async () => undefined,
      search: async () => [],
      oddities: async () => [],
      descriptions: async () => new Map(),
      answers: async (server) =>
        new Map(of(server).map(({ id, tool }) => [id.name, { label: labelOf(id, tool) }])),
    },
    tools: async (server) =>
      of(server).map(({ id, tool }) => ({
        name: id.name,
        inputSchema: {
          type: 'object',
          properties: Object.fromEntries(Object.keys(tool.args ?? {}).map((one) => [one, {}])),
        },
        ...(tool.isReadOnly && { annotations: { readOnlyHint: true } }),
        hash: factsFor(id, tool).hash,
        quarantined: false,
      })),
    template: async () => template,
    savedFlows: {
      put: async () => true,
      get: async () => undefined,
      list: async () => [],
      remove: async () => false,
    },
    runsPath: path.join(folder, 'runs.db'),
    cacheFolder: path.join(folder, 'cache'),
    files: createFiles(),
    owner: OWNER,
    now: Date.now,
  }
}

function idOf(key: string): ToolId {
  const [server = '', name = ''] = key.split('.')
  return { server: parseServerId(server), name }
}

function factsFor(id: ToolId, tool: StoringTool | undefined): ToolFacts {
  if (!tool) throw new Error(`${showTool(id)} is not in the scenario`)
  const { effect, args = {}, others = 'internal', serverLevel } = tool
  return factsOf({
    id,
    effect,
    roles: new Map(Object.entries(args)),
    clearance: { own: 'sensitive', others },
    hash: `hash of ${showTool(id)}`,
    ...(serverLevel && { level: serverLevel }),
  })
}

function labelOf({ server }: ToolId, { level = 'internal' }: StoringTool): Label {
  return { integrity: 'external', level, origins: new Set([server]) }
}

function answerOf(id: ToolId, tool: StoringTool, args: ToolCall['args']) {
  const { says, ...rest } = tool
  const label = labelOf(id, says ? { ...rest, level: says } : tool)
  return { value: tool.run(args), label, labels: { label } }
}
