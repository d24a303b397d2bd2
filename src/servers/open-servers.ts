/**
 * The `Servers` port: every server of one principal as it runs, behind its cordon. Decides nothing about calls, starts no
 * process and opens no socket itself.
 */
import type { Egress } from '../ports/egress-port.ts'
import type { AskerOf, Elicit } from '../kernel/elicitation.ts'
import { callFailed, ownFailure } from '../kernel/call-failure.ts'
import { Capability } from '../kernel/capability.ts'
import { CordonError } from '../kernel/error.ts'
import type { Noticing } from '../ports/notice-port.ts'
import type { Audit, Consents, Files, Log, Redactor, Servers, Vault } from '../kernel/ports.ts'
import type { PrincipalId } from '../kernel/principal.ts'
import type { Sandbox } from '../kernel/sandbox-port.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { ToolFacts } from '../kernel/tool-facts.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import type { ToolProposal } from '../kernel/tool-proposal.ts'
import type { Features } from '../ports/feature-port.ts'
import type { Peeking } from '../ports/upgrade-port.ts'
import type { ToolIndex } from '../ports/tool-view.ts'
import type { ServerState } from '../kernel/server-state.ts'
import { type BareConsent, createBareConsent } from './life/bare-consent.ts'
import { createFacts, type FactsOf, unknownTool } from './life/tool-facts.ts'
import { argumentMisfit } from './life/argument-misfit.ts'
import { createFeatures, FeatureWatch } from './life/create-features.ts'
import { Fleet, type FleetDeps } from './life/fleet.ts'
import { peekTools } from './life/peek-tools.ts'
import { programHashOf } from './life/launch-hash.ts'
import { createManifestStore } from './life/manifest-store.ts'
import { type CallDeps, runCall } from './life/run-call.ts'
import type { ServerLife } from './life/server-life.ts'
import { showBriefly, showState } from './life/show-state.ts'
import { createSlots } from './life/slots.ts'
import { DEFAULT_MAX_RUNNING } from '../text/server-limits.ts'
import { otherTools } from './life/tool-marks.ts'
import { TIMINGS, type Timings } from './life/timings.ts'
import { isOutOfMemory, ServerFailure } from './session/failure.ts'
import { createSchemaChecker } from './session/schema-checker.ts'
import { marksFor, proposeTools } from './tools/propose-tools.ts'
import { createToolIndex } from './tools/tool-index.ts'

export interface ServerDeps {
  readonly definitions: FleetDeps['definitions']
  readonly sandbox: Pick<Sandbox, 'launch'>
  readonly egress: Egress
  readonly vault: Pick<Vault, 'lease' | 'resolves'>
  readonly audit: Pick<Audit, 'append' | 'appendDurable'>
  readonly consents: Consents
  readonly log: Log
  readonly redactor: Redactor
  readonly files: Pick<Files, 'read' | 'write'>
  /** The principal whose servers these are. */
  readonly owner: PrincipalId
  /** Holds `<server>.json`: the tools as last seen, and what they are pinned to. No cache: losing it loses the pins. */
  readonly pinsFolder: string
  /** Holds `<server>.pem`: the only certificate that a remote server may show. */
  readonly certsFolder: string
  readonly now?: () => number
  readonly notices: Noticing
  /** Puts a server's elicitation to the owner; absent: elicitation is not offered to servers. */
  readonly elicit?: Elicit
  readonly askerOf?: AskerOf
  readonly timings?: Partial<Timings>
  readonly onProgress?: CallDeps['onProgress']
  readonly provide?: FleetDeps['provide']
  readonly missingScopes?: NonNullable<CallDeps['missingScopes']>
  readonly knownTools?: FleetDeps['knownTools']
  readonly knownFormats?: FleetDeps['knownFormats']
  /** How many servers run at once, unless the owner sets it. */
  readonly maxRunning?: number
}

export interface OwnedServers extends Servers, Peeking, AsyncDisposable {
  readonly toolIndex: ToolIndex
  readonly features: Features
}

export async function openServers(deps: ServerDeps): Promise<OwnedServers> {
  await using stack = new AsyncDisposableStack()
  const bare = createBareConsent(deps)
  const watch = new FeatureWatch()
  const parts = { ...partsOf(deps, bare), onFeature: watch.tell }
  const { onProgress } = deps
  const calls = { ...parts, onProgress, checker: stack.use(createSchemaChecker()) }
  const fleet = stack.use(new Fleet(parts))
  const factsOf = createFacts()
  const find = (server: ServerId): ServerLife => fleet.find(server) ?? noSuchServer(server)
  await fleet.refresh()
  const toolIndex = createToolIndex({ factsOf, servers: () => fleet.own() })
  const owned = stack.move()
  return {
    toolIndex,
    features: createFeatures(fleet, find, watch),
    know: knowBy(fleet, factsOf),
    ...ranBy(fleet, calls, deps.now ?? Date.now),
    ...peekingBy(calls, find),
    states: async (how) =>
      await Promise.all(fleet.all().map((server) => showOne(fleet, server, how))),
    ...toldBy(find),
    firstTools: () => fleet.firstTools(),
    start: async (server, signal) => await startNow(fleet, find(server), signal),
    async stop(server) {
      const found = find(server)
      await fleet.stop(found)
      return await showState(found)
    },
    async quarantine(server) {
      const found = find(server)
      await found.tools.quarantine()
      await fleet.stop(found)
    },
    admit: (definition) => fleet.admit(definition),
    dismissProjects: () => fleet.dismissGuests(),
    refresh: () => fleet.refresh(),
    dangerouslyUnsandbox: async (server) => await bare.give(find(server).definition),
    async withdrawUnsandbox(server) {
      const found = find(server)
      await bare.withdraw(server)
      await fleet.stop(found)
    },
    async renew(token) {
      const holders = fleet.all().filter((server) => borrows(server, token))
      await Promise.all(holders.map((server) => server.renew()))
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function ranBy(fleet: Fleet, deps: CallDeps, now: () => number): Pick<Servers, 'call' | 'misfit'> {
  return {
    async misfit(call) {
      const tool = fleet.find(call.tool.server)?.tools.find(call.tool.name)
      return tool && (await argumentMisfit(deps, tool, call))
    },
    async call(capability, signal) {
      const call = Capability.redeem(capability, now())
      const server = fleet.find(call.tool.server)
      if (!server) {
        const reason = `There is no server ${JSON.stringify(call.tool.server)}`
        return ownFailure(callFailed('call.unknown', reason))
      }
      return await runCall(deps, server, call, signal)
    },
  }
}

function peekingBy(
  deps: Parameters<typeof peekTools>[0],
  find: (server: ServerId) => ServerLife,
): Peeking {
  return {
    async peek(definition, signal) {
      const found = find(definition.id)
      return await peekTools(deps, found.tools, definition, signal).catch((error: unknown) => {
        throw error instanceof ServerFailure ? notStarted(found, error) : error
      })
    },
  }
}

/** Facts about a tool as last seen. A server that was never seen is started to list its tools; none is called. */
function knowBy(fleet: Fleet, factsOf: FactsOf): Servers['know'] {
  const asSeen = (server: ServerLife, tool: ToolId): ToolFacts | undefined => {
    const found = server.tools.find(tool.name)
    return found && factsOf(server, found)
  }
  return (tool, signal) => {
    const server = fleet.find(tool.server)
    if (!server) return unknownTool(tool)
    const lookUp = async (): Promise<ToolFacts> => {
      const seen = await server.tools.all()
      if (seen.length === 0) await server.ready(signal).catch(() => undefined)
      return asSeen(server, tool) ?? unknownTool(tool)
    }
    if (fleet.isEdited(server)) {
      return fleet.tighten(server).then((isThere) => (isThere ? lookUp() : unknownTool(tool)))
    }
    return asSeen(server, tool) ?? lookUp()
  }
}

/** A server's log and tools, whether the server runs or not. */
function toldBy(
  find: (server: ServerId) => ServerLife,
): Pick<
  Servers,
  'logs' | 'messages' | 'tools' | 'toolChanges' | 'acceptTools' | 'proposal' | 'markTools'
> {
  return {
    proposal: async (server) => await proposalOf(find(server)),
    async markTools(server, set, change) {
      const found = find(server)
      const proposal = await proposalOf(found)
      if (proposal.set !== set) throw otherTools()
      const program = programHashOf(found.definition)
      await found.tools.mark(set, marksFor(proposal, change), program)
      return await proposalOf(found)
    },
    logs: async (server) => find(server).ring.lines(),
    messages: async (server) => find(server).ring.protocol.messages(),
    async tools(server) {
      const tools = await find(server).tools.all()
      return tools.map(
        ({ raw: _raw, setHash: _set, mark: _mark, learned: _learned, isHeld, ...tool }) => {
          return isHeld ? { ...tool, isHeld } : tool
        },
      )
    },
    toolChanges: async (server) => await find(server).tools.changes(),
    acceptTools: async (server, seen) => await find(server).tools.accept(seen),
  }
}

async function proposalOf({ definition, tools }: ServerLife): Promise<ToolProposal> {
  const listed = await tools.all()
  return proposeTools(definition, listed, tools.set)
}

/** Whether the server is a process, which gets this token only when it starts. */
function borrows({ definition }: ServerLife, token: string): boolean {
  const refs = Object.values(definition.auth)
  const isLent = refs.some(({ scheme, name }) => scheme === 'oauth' && name === token)
  return isLent && definition.command !== undefined
}

function partsOf(deps: ServerDeps, bare: BareConsent): Omit<FleetDeps, 'onFeature'> {
  const { now = Date.now, maxRunning = DEFAULT_MAX_RUNNING, redactor } = deps
  const timings = { ...TIMINGS, ...deps.timings }
  return {
    ...deps,
    ...timings,
    elicit: deps.elicit,
    askerOf: deps.askerOf,
    isBareAllowed: (definition) => bare.holds(definition),
    redact: (text) => redactor.redact(text),
    manifests: createManifestStore(deps),
    slots: createSlots(maxRunning, timings.slotMs),
    maxRunning,
    timings,
    now,
  }
}

async function showOne(
  fleet: Fleet,
  server: ServerLife,
  how: 'briefly' | undefined,
): Promise<ServerState> {
  const state = await (how === 'briefly' ? showBriefly(server) : showState(server))
  return fleet.isOutdated(server) ? { ...state, isOutdated: true } : state
}

async function startNow(
  fleet: Fleet,
  server: ServerLife,
  signal: AbortSignal,
): Promise<ServerState> {
  try {
    await fleet.start(server, signal)
  } catch (error) {
    if (!(error instanceof ServerFailure)) throw error
    throw notStarted(server, error)
  }
  return await showBriefly(server)
}

function notStarted({ id, life }: ServerLife, { message }: ServerFailure): CordonError {
  const hint =
    life.kind === 'disabled'
      ? `Run \`cordon mcp enable ${id}\`, or \`cordon connect ${id}\` to go on with it`
      : `Run \`cordon mcp logs ${id}\` to see what it wrote`
  return new CordonError(
    isOutOfMemory(message) ? 'servers.memory' : 'servers.start',
    { exit: 5, hint, why: `it ${message}` },
    `Cannot start server ${JSON.stringify(id)}`,
  )
}

function noSuchServer(server: string): never {
  throw new CordonError(
    'servers.unknown',
    { exit: 2, hint: 'Run `cordon mcp list` to see the servers there are' },
    `Cannot find server ${JSON.stringify(server)}`,
  )
}
