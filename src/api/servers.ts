/** Routes about servers as they run: state, start and stop, log, and the tools as the server describes them. */
import { z } from 'zod'
import { CordonError } from '../kernel/error.ts'
import type { ToldLabels } from '../kernel/kept-labels.ts'
import type { Definitions, Servers, Vault } from '../kernel/ports.ts'
import type { Principal } from '../kernel/principal.ts'
import { showSecretRef } from '../kernel/secret-ref.ts'
import type { DefinitionScope, LoadedDefinition } from '../kernel/server-definition.ts'
import { parseServerId, type ServerId } from '../kernel/server-id.ts'
import type { LogLine, ServerState, ToolDescription } from '../kernel/server-state.ts'
import type { SeenTools, ToolChange } from '../kernel/tool-change.ts'
import { server, serverHere, type ServerHere, workingFolder } from './fields.ts'
import type { Routes } from './route.ts'

export interface ServerSummary {
  readonly server: string
  readonly name: string
  readonly description: string
  readonly transport: string
  readonly label: string
  readonly scope: DefinitionScope
  readonly path: string
  readonly allowedDomains: readonly string[]
  readonly warnings: readonly string[]
  /** `bwrap`, `none`, or the kind of address of a server that Cordon does not start: `remote`, `socket`. */
  readonly cordon: string
  /** The connection to the server is not encrypted. */
  readonly isInsecure: boolean
  /** The present state; fields that are not known yet are absent. */
  readonly state: Omit<ServerState, 'server'>
}

export interface ServerDetails extends ServerSummary {
  readonly command?: string
  readonly args: readonly string[]
  readonly url?: string
  readonly start?: 'eager' | 'lazy'
  readonly version?: string
  readonly scopes: readonly string[]
  readonly sandbox: {
    readonly memoryLimitBytes: number
    readonly readOnlyFs: boolean
    readonly allowTmp: boolean
  }
  /** References only, and whether each resolves now; never a value. */
  readonly credentials: readonly {
    readonly key: string
    readonly ref: string
    readonly present: boolean
  }[]
  /** Others' data that it was told, and so may answer with; absent: nothing. */
  readonly told?: { readonly level: string; readonly from: readonly string[] }
}

export interface ServerContract {
  'mcp.list': {
    surface: 'any'
    input: { readonly workingFolder?: string }
    output: {
      readonly servers: readonly ServerSummary[]
      readonly problems: readonly { path: string; line?: number; message: string }[]
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
  'mcp.accept': {
    input: ServerHere & { readonly tools: SeenTools }
    output: { readonly tools: readonly ToolDescription[] }
  }
}

export interface ServerDeps {
  readonly principal: Principal
  readonly definitions: Definitions
  readonly servers: Servers
  readonly vault: Pick<Vault, 'resolves'>
  readonly told: ToldLabels
}

const seenTools = z.record(z.string().min(1).max(256), z.hex().length(64))

export function serverRoutes(deps: ServerDeps): Routes<ServerContract> {
  return { ...lookingRoutes(deps), ...lifeRoutes(deps), ...toolRoutes(deps) }
}

type LifeRoute = `mcp.${'start' | 'stop' | 'restart'}`
type ToolRoute = `mcp.${'tools' | 'changes' | 'accept'}`

function lookingRoutes(deps: ServerDeps): Routes<Omit<ServerContract, LifeRoute | ToolRoute>> {
  const { definitions, servers } = deps
  return {
    'mcp.list': {
      surface: 'any',
      input: z.strictObject({ workingFolder }),
      async handle({ workingFolder }) {
        const listing = await definitions.load(workingFolder)
        const states = await statesOf(deps)
        return { ...listing, servers: listing.servers.map((loaded) => summarise(loaded, states)) }
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
      surface: 'terminal',
      input: z.strictObject({ server, workingFolder, tools: seenTools }),
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

interface HereDeps {
  readonly definitions: Pick<Definitions, 'findInProject'>
  readonly servers: Pick<Servers, 'admit'>
}

/** The id of the server that this name means here: a trusted project's in its folder, else the owner's own. */
export async function idHere(
  { definitions, servers }: HereDeps,
  { server, workingFolder }: ServerHere,
): Promise<ServerId> {
  const id = parseServerId(server)
  const found = workingFolder && (await definitions.findInProject(workingFolder, id))
  if (!found) return id
  await servers.admit(found)
  return found.id
}

export async function showServer(
  deps: ServerDeps,
  server: string,
  workingFolder?: string,
): Promise<ServerDetails> {
  const { servers } = await deps.definitions.load(workingFolder)
  const found = servers.find(({ definition }) => definition.id === server)
  if (!found) throw noSuchServer(server)
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
  const shown = { server: id, name, description, transport, label, allowedDomains }
  const { server: _server, ...state } = states.get(runsAs ?? id) ?? unseen(definition.enabled)
  const isInsecure = definition.dangerouslyAllowHttp === true
  return { ...shown, scope, path, warnings, cordon: cordonOf(definition), isInsecure, state }
}

/** The isolation between the server and this machine. */
function cordonOf({ transport, sandbox }: LoadedDefinition['definition']): string {
  if (transport === 'stdio') return sandbox.mode
  return transport === 'uds' || transport === 'pipe' ? 'socket' : 'remote'
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
  const { command, args, url, start, version, scopes } = definition
  const { memoryLimitBytes, readOnlyFs, allowTmp } = definition.sandbox
  const credentials = Object.entries(definition.auth).map(async ([key, ref]) => ({
    key,
    ref: showSecretRef(ref),
    present: await deps.vault.resolves(deps.principal.id, ref),
  }))
  const told = await deps.told.of(definition.id)
  return {
    ...summarise(loaded, await statesOf(deps)),
    ...(command !== undefined && { command }),
    args,
    ...(url !== undefined && { url }),
    ...(start !== undefined && { start }),
    ...(version !== undefined && { version }),
    scopes,
    sandbox: { memoryLimitBytes, readOnlyFs, allowTmp },
    credentials: await Promise.all(credentials),
    ...(told && { told: { level: told.level, from: [...told.origins].sort() } }),
  }
}

function noSuchServer(server: string): CordonError {
  return new CordonError(
    'kernel.no-server',
    { exit: 2, hint: 'Run `cordon mcp list` to see the servers there are' },
    `Cannot find server ${JSON.stringify(server)}`,
  )
}
