/**
 * The owner's saved flows as tools, each with the effect that the check computed for it: the join of its steps, never
 * less. A flow is offered if every tool it calls is within the client's contexts, and it uses neither files nor memory.
 * A record that cannot be read is left out, and the log says so once. It runs as the owner's own plan; only its inputs carry the label of the client's words.
 */
import { hash } from 'node:crypto'
import { MODEL } from '../kernel/built-in-tools.ts'
import { type Effect, isRead } from '../kernel/effect.ts'
import { CordonError } from '../kernel/error.ts'
import type { Log } from '../kernel/ports.ts'
import type { ServerId } from '../kernel/server-id.ts'
import { splitTool } from '../kernel/tool-id.ts'
import type { FlowCheck, Flows, SavedFlow } from '../ports/flow-port.ts'
import type { JsonObject } from '../text/json.ts'
import type { ClientSession } from './client-session.ts'
import type { ClientViews } from './client-views.ts'
import { createScope, type Scope } from './create-scope.ts'
import { type FlowToolsDeps, startFlow } from './flow-tools.ts'
import type { OwnTool } from './own-tool.ts'

export interface SavedFlowDeps extends FlowToolsDeps {
  readonly flows: FlowToolsDeps['flows'] & Pick<Flows, 'saved' | 'check'>
  readonly views: FlowToolsDeps['views'] & Pick<ClientViews, 'offered'>
  readonly log: Pick<Log, 'warn'>
}

export interface SavedFlowTools {
  /** Those that the client may run. */
  list(session: Pick<ClientSession, 'scope'>): Promise<readonly OwnTool[]>
}

const MOST_FLOWS = 100
const EVERYTHING = createScope(undefined)

interface Checked {
  readonly savedAt: string
  readonly tool: OwnTool
  readonly calls: readonly string[]
}

export function createSavedFlowTools(deps: SavedFlowDeps): SavedFlowTools {
  // A check holds as long as no tool has changed.
  const known = new WeakMap<object, Map<string, Checked>>()
  const told = new Set<string>()
  return {
    async list({ scope }) {
      const tools = await deps.views.offered({ scope: EVERYTHING })
      const checks = known.get(tools) ?? new Map<string, Checked>()
      known.set(tools, checks)
      const saved = (await deps.flows.saved()).slice(0, MOST_FLOWS)
      const checked = await Promise.all(saved.map((flow) => checkAny(deps, { checks, told }, flow)))
      return checked.flatMap((one) => (one && isWithin(one, scope) ? [one.tool] : []))
    },
  }
}

interface Memory {
  readonly checks: Map<string, Checked>
  /** Names of flows that the log has said cannot be read. */
  readonly told: Set<string>
}

/** A damaged record is left out; the other flows are listed. */
async function checkAny(
  deps: SavedFlowDeps,
  { checks, told }: Memory,
  flow: SavedFlow,
): Promise<Checked | undefined> {
  try {
    return await checkOnce(deps, checks, flow)
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    if (!told.has(flow.name)) deps.log.warn('A saved flow is not offered to clients', { error })
    told.add(flow.name)
    return undefined
  }
}

async function checkOnce(
  deps: SavedFlowDeps,
  checks: Map<string, Checked>,
  flow: SavedFlow,
): Promise<Checked | undefined> {
  const found = checks.get(flow.name)
  if (found?.savedAt === flow.savedAt) return found
  const source = { kind: 'saved', name: flow.name } as const
  const never = new AbortController().signal
  const check = await deps.flows.check(source, undefined, never)
  if (!check.isSound) return undefined
  const made = {
    savedAt: flow.savedAt,
    tool: toolFor(deps, flow, check),
    calls: check.steps.map(({ tool }) => tool),
  }
  checks.set(flow.name, made)
  return made
}

function isWithin({ calls }: Checked, scope: Scope): boolean {
  return calls.every((call) => {
    const { server, tool } = splitTool(call) ?? { server: call, tool: '' }
    if (server.startsWith('~')) return server === MODEL
    return scope.has({ server: server as ServerId, name: tool })
  })
}

function toolFor(deps: SavedFlowDeps, flow: SavedFlow, check: FlowCheck): OwnTool {
  const { name, description, nodes } = flow
  const { needs, safety } = check
  const properties = needs.map(({ name: key, type, description: words }) => {
    return [key, { ...schemaOf(type), ...(words !== undefined && { description: words }) }] as const
  })
  const inputSchema = {
    type: 'object',
    properties: Object.fromEntries(properties),
    required: needs.filter(({ required }) => required).map(({ name: key }) => key),
  }
  return {
    isLong: true,
    definition: {
      name: flowToolName(name),
      description: `${description || `The saved flow ${name}`} (${nodes.join(' >> ')})`,
      inputSchema,
      annotations: annotationsOf(safety.effect),
    },
    call: (own) => startFlow(deps, own, { source: { kind: 'saved', name }, inputs: own.args }),
  }
}

function annotationsOf(effect: Effect): JsonObject {
  return {
    readOnlyHint: isRead(effect),
    destructiveHint: effect === 'destructive' || effect === 'exec',
  }
}

const PLAIN_TYPES: ReadonlySet<string> = new Set([
  'string',
  'number',
  'integer',
  'boolean',
  'object',
  'array',
])

function schemaOf(type: string): JsonObject {
  return PLAIN_TYPES.has(type) ? { type } : {}
}

const LONGEST = 64
const PLAIN = /^[A-Za-z0-9-]+(?:_[A-Za-z0-9-]+)*$/

/** Without `__`, which every name of a server's tool holds: the two can never be the same. */
export function flowToolName(name: string): string {
  const plain = `flow-${name}`
  if (PLAIN.test(plain) && plain.length <= LONGEST) return plain
  const readable = plain.replace(/[^A-Za-z0-9-]+/g, '-').slice(0, LONGEST - 11)
  return `${readable}-${hash('sha256', name).slice(0, 10)}`
}
