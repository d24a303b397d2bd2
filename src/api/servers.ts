/** Routes about servers as they run: state, start and stop, log, and the tools as the server describes them. */
import { z } from 'zod'
import type { ToldLabels } from '../kernel/kept-labels.ts'
import type { Definitions, Servers, Vault } from '../kernel/ports.ts'
import type { Principal } from '../kernel/principal.ts'
import type {
  DefinitionScope,
  LoadedDefinition,
  SandboxSettings,
} from '../kernel/server-definition.ts'
import { parseServerId, type ServerId } from '../kernel/server-id.ts'
import type { LogLine, ServerState, ToolDescription } from '../kernel/server-state.ts'
import { type LimitsInForce, limitsInForce } from '../text/server-limits.ts'
import type { SeenTools, ToolChange } from '../text/tool-change.ts'
import type { AccountNames } from './account-names.ts'
import { cordonOf } from './cordon-of.ts'
import { type FeatureContract, type FeatureDeps, featureRoutes } from './features.ts'
import { noSuchServer } from './no-such-server.ts'
import { server, serverHere, type ServerHere, workingFolder } from './fields.ts'
import { idHere } from './id-here.ts'
import type { Notice, NoticeDeps } from './notices.ts'
import type { Routes } from './route.ts'
import { showCredentials, type ShownCredential } from './show-credentials.ts'

export interface ServerSummary {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly transport: string
  readonly label: string
  readonly scope: DefinitionScope
  readonly path: string
  readonly allowedDomains: readonly string[]
  /** The owner's folders mounted for reading and for writing; absent without any folder. */
  readonly readPaths?: readonly string[]
  readonly writePaths?: readonly string[]
  readonly warnings: readonly string[]
  /** `bwrap`, `none`, or the kind of address of a server that Cordon does not start: `remote`, `socket`. */
  readonly cordon: string
  /** The connection to the server is not encrypted. */
  readonly isInsecure: boolean
  /** Open notices about it; absent if there is none. */
  readonly notices?: readonly Pick<Notice, 'what' | 'hint'>[]
  /** The present state; fields that are not known yet are absent. */
  readonly state: Omit<ServerState, 'server'>
}

export interface ServerDetails extends ServerSummary {
  readonly command?: string
  readonly args: readonly string[]
  readonly url?: string
  readonly start?: 'eager' | 'lazy'
  readonly version?: string
  /** The install scripts of its package were run, on the owner's word. */
  readonly scripts?: 'allowed'
  readonly scopes: readonly string[]
  readonly sandbox: Omit<SandboxSettings, 'mode' | 'keepsData'>
  readonly limits: LimitsInForce
  /** The folder in which it keeps data between starts; removed with it. Absent: nothing was kept. */
  readonly keeps?: string
  /** References only, and whether each resolves now; never a value. */
  readonly credentials: readonly ShownCredential[]
  /** Its account as the provider names it: untrusted. Absent: no provider told. */
  readonly account?: string
  /** Others' data that it was told, and so may answer with; absent: nothing. */
  readonly told?: { readonly level: string; readonly from: readonly string[] }
}

export interface ServerContract extends FeatureContract {
  'mcp.list': {
    surface: 'any'
    input: { readonly workingFolder?: string }
    output: {
      readonly servers: readonly ServerSummary[]
      readonly problems: readonly { path: string; line?: number; message: string }[]
      readonly maxRunning?: number
      readonly untrusted?: { readonly folder: string; readonly files: readonly string[] }
    }
  }
  'mcp.show': {
    surface: 'any'
    input: { readonly server: string; readonly workingFolder?: string }
    output: ServerDetails
  }
  'mcp.start': { surface: 'any'; input: ServerHere; output: ServerState }
  'mcp.stop': { surface: 'any'; input: ServerHere; output: ServerState }
  'mcp.restart': { surface: 'any'; input: ServerHere; output: ServerState }
  'mcp.logs': { surface: 'any'; input: ServerHere; output: { readonly lines: readonly LogLine[] } }
  'mcp.tools': {
    surface: 'any'
    input: ServerHere
    output: { readonly tools: readonly ToolDescription[] }
  }
  /** Tools that wait for the owner's acceptance, each with its accepted definition. */
  'mcp.changes': {
    surface: 'any'
    input: ServerHere
    output: { readonly changes: readonly ToolChange[] }
  }
  /**
   * Open to the page: it takes the hash of each definition that was shown there, spawns nothing, and is refused for a
   * tool whose definition is another by now. The calls of an accepted tool are judged like all others.
   */
  'mcp.accept': {
    surface: 'any'
    input: ServerHere & { readonly tools: SeenTools }
    output: { readonly tools: readonly ToolDescription[] }
  }
}

export interface ServerDeps extends FeatureDeps {
  readonly principal: Principal
  readonly definitions: Definitions
  readonly servers: Servers
  readonly vault: Pick<Vault, 'resolves'>
  readonly told: ToldLabels
  readonly data: {
    find(server: ServerId): string | undefined
    remove(server: ServerId): Promise<boolean>
  }
  readonly accounts: AccountNames
  readonly notices: Pick<NoticeDeps['notices'], 'list'>
}

const seenTools = z.record(z.string().min(1).max(256), z.hex().length(64))

export function serverRoutes(deps: ServerDeps): Routes<ServerContract> {
  const looking = { ...lookingRoutes(deps), ...featureRoutes(deps) }
  return { ...looking, ...lifeRoutes(deps), ...toolRoutes(deps) }
}

type LifeRoute = `mcp.${'start' | 'stop' | 'restart'}`
type ToolRoute = `mcp.${'tools' | 'changes' | 'accept'}`

function lookingRoutes(
  deps: ServerDeps,
): Routes<Pick<ServerContract, `mcp.${'list' | 'show' | 'logs'}`>> {
  const { definitions, servers } = deps
  return {
    'mcp.list': {
      surface: 'any',
      input: z.strictObject({ workingFolder }),
      async handle({ workingFolder }) {
        const listing = await definitions.load(workingFolder)
        const states = await statesOf(deps)
        const notices = await deps.notices.list()
        const summaries = listing.servers.map((loaded) => summarise(loaded, states))
        return { ...listing, servers: summaries.map((one) => withNotices(one, notices)) }
      },
    },
    'mcp.show': {
      surface: 'any',
      input: z.strictObject({ server, workingFolder }),
      handle: ({ server, workingFolder }) => showServer(deps, server, workingFolder),
    },
    'mcp.logs': {
      surface: 'any',
      input: serverHere,
      handle: async (input) => ({ lines: await servers.logs(await idHere(deps, input)) }),
    },
  }
}

function lifeRoutes(deps: ServerDeps): Routes<Pick<ServerContract, LifeRoute>> {
  const { servers } = deps
  return {
    'mcp.start': {
      surface: 'any',
      input: serverHere,
      handle: async (input, signal) =>
        asCalled(input, await servers.start(await idHere(deps, input), signal)),
    },
    'mcp.stop': {
      surface: 'any',
      input: serverHere,
      handle: async (input) => asCalled(input, await servers.stop(await idHere(deps, input))),
    },
    'mcp.restart': {
      surface: 'any',
      input: serverHere,
      async handle(input, signal) {
        const id = await idHere(deps, input)
        await servers.stop(id)
        return asCalled(input, await servers.start(id, signal))
      },
    },
  }
}

function toolRoutes(deps: ServerDeps): Routes<Pick<ServerContract, ToolRoute>> {
  const { servers } = deps
  return {
    'mcp.tools': {
      surface: 'any',
      input: serverHere,
      handle: async (input) => ({ tools: await servers.tools(await idHere(deps, input)) }),
    },
    'mcp.changes': {
      surface: 'any',
      input: serverHere,
      handle: async (input) => ({ changes: await servers.toolChanges(await idHere(deps, input)) }),
    },
    'mcp.accept': {
      surface: 'any',
      input: z.strictObject({ server, workingFolder, tools: seenTools }),
      isForTerminal: (input) => input.workingFolder !== undefined,
      async handle({ tools, ...input }) {
        const id = await idHere(deps, input)
        await servers.acceptTools(id, tools)
        return { tools: await servers.tools(id) }
      },
    },
  }
}

/** Under the name by which it was called: that of a project's server as it runs means nothing to a person. */
function asCalled({ server }: ServerHere, state: ServerState): ServerState {
  return { ...state, server: parseServerId(server) }
}

export async function showServer(
  deps: ServerDeps,
  server: string,
  workingFolder?: string,
): Promise<ServerDetails> {
  const { servers } = await deps.definitions.load(workingFolder)
  const found = servers.find(({ definition }) => definition.id === server)
  if (!found) throw noSuchServer(server, servers)
  return await describeServer(deps, found)
}

type States = ReadonlyMap<ServerId, ServerState>

async function statesOf({ servers }: ServerDeps): Promise<States> {
  const states = await servers.states()
  return new Map(states.map((state) => [state.server, state]))
}

function summarise(loaded: LoadedDefinition, states: States): ServerSummary {
  const { definition, runsAs, scope, path, warnings } = loaded
  const { id, name, description, transport, label, allowedDomains } = definition
  const { readPaths, writePaths } = definition.sandbox
  const folders = readPaths.length + writePaths.length > 0 ? { readPaths, writePaths } : {}
  const shown = { server: id, name, description, transport, label, allowedDomains, ...folders }
  const { server: _server, ...state } = states.get(runsAs ?? id) ?? unseen(definition.enabled)
  const isInsecure = definition.dangerouslyAllowHttp === true
  return { ...shown, scope, path, warnings, cordon: cordonOf(definition), isInsecure, state }
}

function withNotices(summary: ServerSummary, all: readonly Notice[]): ServerSummary {
  const own = all.filter(({ server }) => server === summary.server)
  return own.length === 0
    ? summary
    : { ...summary, notices: own.map(({ what, hint }) => ({ what, hint })) }
}

/** The state of a server that was never started, or whose project was only just trusted. */
function unseen(enabled: boolean): Omit<ServerState, 'server'> & { server?: never } {
  return { badge: enabled ? 'idle' : 'disabled', tools: 0, quarantined: 0, restarts: 0 }
}

export async function describeServer(
  deps: ServerDeps,
  loaded: LoadedDefinition,
): Promise<ServerDetails> {
  const { definition } = loaded
  const { args, scopes, limits } = definition
  const { mode: _mode, keepsData: _kept, ...sandbox } = definition.sandbox
  const credentials = await showCredentials(definition, deps.vault, deps.principal.id)
  const told = await deps.told.of(definition.id)
  const keeps = deps.data.find(loaded.runsAs ?? definition.id)
  const account = await deps.accounts.find(loaded.runsAs ?? definition.id)
  return {
    ...summarise(loaded, await statesOf(deps)),
    ...launchOf(definition),
    args,
    scopes,
    sandbox,
    limits: limitsInForce(limits, sandbox.memoryLimitBytes),
    ...(keeps !== undefined && { keeps }),
    ...(account !== undefined && { account }),
    credentials,
    ...(told && { told: { level: told.level, from: [...told.origins].sort() } }),
  }
}

type Launch = Pick<ServerDetails, 'command' | 'url' | 'start' | 'version' | 'scripts'>

function launchOf(definition: LoadedDefinition['definition']): Launch {
  const { command, url, start, version, package: { scripts } = {} } = definition
  return {
    ...(command !== undefined && { command }),
    ...(url !== undefined && { url }),
    ...(start !== undefined && { start }),
    ...(version !== undefined && { version }),
    ...(scripts !== undefined && { scripts }),
  }
}
