/**
 * A test set-up for runs: the real policy, approval queue and engine, and tools whose every effect is a line in a file,
 * synced to disk before the tool answers. Several processes may open the same folder.
 */
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, writeSync } from 'node:fs'
import path from 'node:path'
import type { FlowDeps } from '../../src/flows/flow-deps.ts'
import { openFlows } from '../../src/flows/open-flows.ts'
import type { AuditEvent } from '../../src/kernel/audit-record.ts'
import { type BuiltInTools, withBuiltIns } from '../../src/kernel/built-in-tools.ts'
import { Capability } from '../../src/kernel/capability.ts'
import type { Effect } from '../../src/kernel/effect.ts'
import type { FlowRun, Flows, StartFlow } from '../../src/ports/flow-port.ts'
import type { Json, JsonObject } from '../../src/text/json.ts'
import type { Label, Level } from '../../src/labels/label.ts'
import type { LabelTree } from '../../src/labels/label-tree.ts'
import type { Policy } from '../../src/kernel/ports.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { parseServerId, type ServerId } from '../../src/kernel/server-id.ts'
import type { ToolDescription } from '../../src/kernel/server-state.ts'
import { factsOf } from '../../src/kernel/test-facts.ts'
import type { CallRequest, ToolCall, ToolResult } from '../../src/kernel/tool-call.ts'
import type { Role, ToolFacts } from '../../src/kernel/tool-facts.ts'
import { createPolicy } from '../../src/policy/create-policy.ts'
import type { OwnedApprovals } from '../../src/policy/approvals/open-approvals.ts'
import { openStore, type Store } from '../../src/store/open-store.ts'
import { parsePostgresUrl } from '../../src/store/postgres-url.ts'
import { openQueue, type TestClock } from '../policy/approvals-house.ts'
import { memoryShelf, plainFiles } from './engine-files.ts'

export { never } from '../../src/kernel/test-never.ts'

export interface TestTool {
  /** Another server than `box`. The name of a tool is its own on all servers. */
  readonly server?: string
  readonly name: string
  readonly effect: Effect
  readonly args?: Readonly<Record<string, Role>>
  readonly required?: readonly string[]
  readonly hash?: string
  /** How its server is launched. */
  readonly serverPin?: string
  readonly isReadOnly?: boolean
  readonly level?: Level
  /** The labels that the host expects of its answers, if they differ from those that the answers have. */
  readonly foreseen?: LabelTree
  /** Returns the tool's answer as JSON, or a whole `ToolResult`. */
  run(call: ToolCall, signal: AbortSignal): Promise<Json | ToolResult> | Json | ToolResult
}

export interface EngineHouse extends AsyncDisposable {
  readonly flows: Flows
  readonly door: FlowDeps['door']
  readonly approvals: OwnedApprovals
  readonly store: Store
  readonly events: AuditEvent[]
  readonly said: string[]
  /** Every effect so far, of all processes on this folder. */
  effects(): readonly string[]
}

export interface HouseWishes {
  readonly folder: string
  readonly databaseUrl?: string
  readonly tools: readonly TestTool[]
  readonly rooms?: Partial<FlowDeps>
  /** Runs before the policy judges a call, whether the call is made now or only predicted. */
  readonly judged?: (request: CallRequest) => void
  /** Runs when a call is at the door, before it is sent to the server. */
  readonly atDoor?: (call: ToolCall) => void
  readonly clock?: TestClock
  readonly builtIns?: BuiltInTools
  /** Changes the policy, to see what a rule is worth. */
  readonly policy?: (policy: Policy) => Policy
}

export const SERVER: ServerId = parseServerId('box')

export function effectsIn(folder: string): readonly string[] {
  const file = path.join(folder, 'effects')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(0, -1) : []
}

export function addEffect(folder: string, line: string): void {
  const file = openSync(path.join(folder, 'effects'), 'a')
  writeSync(file, `${line}\n`)
  fsyncSync(file)
  closeSync(file)
}

export async function openEngineHouse(wishes: HouseWishes): Promise<EngineHouse> {
  const { folder, databaseUrl, clock = { wall: 0, steady: 0 } } = wishes
  const said: string[] = []
  const say = (message: string, fields?: object): void => {
    said.push(`${message} ${JSON.stringify(fields, errorText) ?? ''}`)
  }
  const log = { info: () => undefined, warn: say, error: say }
  const store = await openStore({ databaseUrl, sqlitePath: path.join(folder, 'state.db'), log })
  const events: AuditEvent[] = []
  const approvals = await openQueue(store, events, clock)
  const rooms = { ...roomsFor(wishes, approvals, log), ...wishes.rooms }
  const flows = await openFlows(rooms)
  flows.begin()
  return {
    flows,
    door: rooms.door,
    approvals,
    store,
    events,
    said,
    effects: () => effectsIn(folder),
    async [Symbol.asyncDispose]() {
      await flows[Symbol.asyncDispose]()
      await approvals[Symbol.asyncDispose]()
      await store[Symbol.asyncDispose]()
    },
  }
}

function errorText(_name: string, value: unknown): unknown {
  return value instanceof Error ? String(value.stack) : value
}

function roomsFor(
  { folder, databaseUrl, tools, judged, atDoor, ...wishes }: HouseWishes,
  approvals: OwnedApprovals,
  log: FlowDeps['log'],
): FlowDeps {
  const real = createPolicy({
    secrets: { isIn: () => false },
    grantsFor: (tool) => approvals.grantsFor(tool),
    isEndorsed: (task, value, place) => approvals.isEndorsed(task, value, place),
    planFor: (task) => approvals.planFor(task),
    alarm: () => undefined,
  })
  const policy = wishes.policy?.(real) ?? real
  const builtIns = wishes.builtIns ?? NONE_BUILT_IN
  const entry = {
    end: async <T>(result: T) => result,
    [Symbol.dispose]: () => undefined,
  }
  const known = new Map(tools.map((tool) => [tool.name, factsFor(tool)]))
  const unknown = (name: string): ToolFacts => ({
    ...factsFor({ name, effect: 'write', run: () => null }),
    blocked: 'unknown',
  })
  return {
    door: {
      policy: {
        ...policy,
        decide(request, facts) {
          judged?.(request)
          return policy.decide(request, facts)
        },
      },
      audit: {
        async begin(call) {
          atDoor?.(call)
          return entry
        },
      },
      approvals,
      servers: withBuiltIns(
        {
          know: ({ name }) => known.get(name) ?? unknown(name),
          misfit: async () => undefined,
          async call(capability, signal) {
            const call = Capability.redeem(capability, Date.now())
            const tool = tools.find(({ name }) => name === call.tool.name)
            if (!tool) return { kind: 'failed', reason: 'There is no such tool' }
            return answerOf(tool, call, await tool.run(call, signal))
          },
        },
        builtIns,
      ),
    },
    consented: approvals.consented(OWNER.id),
    toolIndex: {
      list: async () =>
        tools.map((tool) => ({
          card: {
            id: factsFor(tool).id,
            title: tool.name,
            summary: tool.name,
            effect: tool.effect,
            args: [],
          },
        })),
      view: async () => undefined,
      search: async () => [],
      oddities: async () => [],
      descriptions: async () => new Map(),
      answers: async () =>
        new Map(tools.map((tool) => [tool.name, tool.foreseen ?? { label: labelOf(tool) }])),
    },
    builtIns,
    tools: async (server) =>
      tools.filter((tool) => factsFor(tool).id.server === server).map(descriptionOf),
    template: async () => undefined,
    savedFlows: memoryShelf(),
    runsPath: path.join(folder, 'runs.db'),
    ...(databaseUrl !== undefined && { database: parsePostgresUrl(databaseUrl) }),
    cacheFolder: path.join(folder, 'cache'),
    files: plainFiles(),
    owner: OWNER,
    log,
    now: Date.now,
  }
}

const NONE_BUILT_IN: BuiltInTools = {
  know: () => undefined,
  call: async () => ({ kind: 'failed', reason: 'Nothing is built in here' }),
  misfit: () => undefined,
}

function labelOf({ level = 'internal', server = SERVER }: TestTool): Label {
  return { integrity: 'external', level, origins: new Set([server]) }
}

function answerOf(tool: TestTool, call: ToolCall, answer: Json | ToolResult): ToolResult {
  if (isResult(answer)) return answer
  const label = labelOf(tool)
  const from = {
    kind: 'tool',
    server: call.tool.server,
    tool: tool.name,
    callId: call.callId,
  } as const
  return { kind: 'ok', value: answer, label, labels: { label, from } }
}

function isResult(answer: Json | ToolResult): answer is ToolResult {
  const { kind } = (answer ?? {}) as { readonly kind?: unknown }
  return kind === 'failed' || kind === 'refused' || kind === 'ok'
}

function factsFor(tool: TestTool): ToolFacts {
  const { name, effect, args = {}, hash = `hash-of-${name}`, serverPin = 'p' } = tool
  const roles = new Map(Object.entries(args))
  const server = tool.server === undefined ? SERVER : parseServerId(tool.server)
  return factsOf({
    id: { server, name },
    serverName: tool.server ?? 'Box',
    effect,
    roles,
    hash,
    serverPin,
  })
}

function descriptionOf(tool: TestTool): ToolDescription {
  const names = Object.keys(tool.args ?? {})
  const properties: JsonObject = Object.fromEntries(names.map((name) => [name, {}]))
  return {
    name: tool.name,
    inputSchema: { type: 'object', properties, required: tool.required ?? [] },
    ...(tool.isReadOnly && { annotations: { readOnlyHint: true } }),
    hash: factsFor(tool).hash,
    quarantined: false,
  }
}

export function startOf(id: string, ir: Json, more: Partial<StartFlow> = {}): StartFlow {
  return {
    id,
    source: { kind: 'ir', ir },
    principal: OWNER,
    inputs: {},
    approval: 'wait',
    useCache: true,
    trust: [],
    ...more,
  }
}

/** Resolves as soon as the run is neither running nor asking. */
export async function untilOver(flows: Flows, id: string): Promise<FlowRun> {
  return await untilState(flows, id, ({ state }) => state !== 'running' && state !== 'asking')
}

export async function untilState(
  flows: Flows,
  id: string,
  holds: (run: FlowRun) => boolean,
): Promise<FlowRun> {
  const deadline = Date.now() + 120_000
  for (;;) {
    const { run } = await flows.follow(id, Number.MAX_SAFE_INTEGER, AbortSignal.timeout(20))
    if (holds(run)) return run
    if (Date.now() > deadline) throw new Error(`the run is still ${JSON.stringify(run)}`)
  }
}
