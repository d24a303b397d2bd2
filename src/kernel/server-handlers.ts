/** The part of the API that is about servers: their definitions, their life, their tools. */
import type { Input, Output, Route, ServerDetails, ServerSummary } from './api.ts'
import { CordonError } from './error.ts'
import type { Definitions, Servers, Vault } from './ports.ts'
import { OWNER } from './principal.ts'
import { showSecretRef } from './secret-ref.ts'
import type { LoadedDefinition } from './server-definition.ts'
import { parseServerId, type ServerId } from './server-id.ts'
import type { ServerState } from './server-state.ts'

export interface ServerRooms {
  readonly definitions: Definitions
  readonly servers: Servers
  readonly vault: Vault
}

type McpRoute = Exclude<Extract<Route, `mcp.${string}`>, 'mcp.call'>
type Handlers = {
  readonly [R in McpRoute]: (input: Input<R>, signal: AbortSignal) => Promise<Output<R>>
}

export function serverHandlers(rooms: ServerRooms): Handlers {
  return { ...definitionHandlers(rooms), ...lifeHandlers(rooms), ...movingHandlers(rooms) }
}

type LifeRoute = `mcp.${'start' | 'stop' | 'restart' | 'logs' | 'tools' | 'changes' | 'accept'}`
type MovingRoute = `mcp.${'migrate' | 'undo' | 'trust' | 'untrust'}`

function definitionHandlers(
  rooms: ServerRooms,
): Pick<Handlers, Exclude<McpRoute, LifeRoute | MovingRoute>> {
  const { definitions, servers } = rooms
  return {
    'mcp.list': async ({ workingFolder }) => {
      const listing = await definitions.load(OWNER.id, workingFolder)
      const states = await statesOf(rooms)
      return { ...listing, servers: listing.servers.map((loaded) => summarise(loaded, states)) }
    },
    'mcp.show': async ({ server, workingFolder }) => await show(rooms, server, workingFolder),
    'mcp.add': async ({ server, changes }) => {
      const added = await definitions.add(OWNER.id, parseServerId(server), changes)
      await servers.refresh(OWNER.id)
      return await detail(rooms, added)
    },
    'mcp.edit': async ({ server, changes }) => {
      const edited = await definitions.edit(OWNER.id, parseServerId(server), changes)
      await servers.refresh(OWNER.id)
      return await detail(rooms, edited)
    },
    'mcp.remove': async ({ server, keepSecrets }) => {
      const removed = await definitions.remove(OWNER.id, parseServerId(server), { keepSecrets })
      await servers.refresh(OWNER.id) // stops it, if it runs
      return removed
    },
    'mcp.unsandbox': async ({ server }) => {
      await servers.dangerouslyUnsandbox(OWNER.id, parseServerId(server))
      return await show(rooms, server)
    },
    'mcp.sandbox': async ({ server }) => {
      await servers.withdrawUnsandbox(OWNER.id, parseServerId(server))
      return await show(rooms, server)
    },
  }
}

function lifeHandlers(rooms: ServerRooms): Pick<Handlers, LifeRoute> {
  const { servers } = rooms
  return {
    'mcp.start': ({ server }, signal) => servers.start(OWNER.id, parseServerId(server), signal),
    'mcp.stop': ({ server }) => servers.stop(OWNER.id, parseServerId(server)),
    'mcp.restart': async ({ server }, signal) => {
      const id = parseServerId(server)
      await servers.stop(OWNER.id, id)
      return await servers.start(OWNER.id, id, signal)
    },
    'mcp.logs': async ({ server }) => ({
      lines: await servers.logs(OWNER.id, parseServerId(server)),
    }),
    'mcp.tools': async ({ server }) => ({
      tools: await servers.tools(OWNER.id, parseServerId(server)),
    }),
    'mcp.changes': async ({ server }) => ({
      changes: await servers.toolChanges(OWNER.id, parseServerId(server)),
    }),
    'mcp.accept': async ({ server, tools }) => {
      const id = parseServerId(server)
      await servers.acceptTools(OWNER.id, id, tools)
      return { tools: await servers.tools(OWNER.id, id) }
    },
  }
}

function movingHandlers({ definitions, servers }: ServerRooms): Pick<Handlers, MovingRoute> {
  return {
    'mcp.migrate': async (request) => {
      const report = await definitions.migrate(OWNER.id, request)
      if (!request.dryRun) await servers.refresh(OWNER.id)
      return report
    },
    'mcp.undo': async ({ importId }) => {
      const report = await definitions.undo(OWNER.id, importId)
      await servers.refresh(OWNER.id)
      return report
    },
    'mcp.trust': ({ folder }) => definitions.trustProject(OWNER.id, folder),
    'mcp.untrust': async ({ folder }) => {
      await definitions.untrustProject(OWNER.id, folder)
      return {}
    },
  }
}

async function show(
  rooms: ServerRooms,
  server: string,
  workingFolder?: string,
): Promise<ServerDetails> {
  const { servers } = await rooms.definitions.load(OWNER.id, workingFolder)
  const found = servers.find(({ definition }) => definition.id === server)
  if (!found) throw noSuchServer(server)
  return await detail(rooms, found)
}

type States = ReadonlyMap<ServerId, ServerState>

async function statesOf({ servers }: ServerRooms): Promise<States> {
  const states = await servers.states(OWNER.id)
  return new Map(states.map((state) => [state.server, state]))
}

function summarise(loaded: LoadedDefinition, states: States): ServerSummary {
  const { definition, scope, path, warnings } = loaded
  const { id, name, description, transport, label, allowedDomains } = definition
  const shown = { server: id, name, description, transport, label, allowedDomains }
  const { server: _server, ...state } = states.get(id) ?? unseen(definition.enabled)
  const isInsecure = definition.dangerouslyAllowHttp === true
  return { ...shown, scope, path, warnings, cordon: cordonOf(definition), isInsecure, state }
}

/** What stands between the server and this machine. */
function cordonOf({ transport, sandbox }: LoadedDefinition['definition']): string {
  if (transport === 'stdio') return sandbox.mode
  return transport === 'uds' || transport === 'pipe' ? 'socket' : 'remote'
}

/** A server that nothing is known of yet: its project was only just trusted, or it was never started. */
function unseen(enabled: boolean): Omit<ServerState, 'server'> & { server?: never } {
  return { badge: enabled ? 'idle' : 'disabled', tools: 0, quarantined: 0, restarts: 0 }
}

async function detail(rooms: ServerRooms, loaded: LoadedDefinition): Promise<ServerDetails> {
  const { definition } = loaded
  const { command, args, url, start, version, scopes } = definition
  const { memoryLimitBytes, readOnlyFs, allowTmp } = definition.sandbox
  const credentials = Object.entries(definition.auth).map(async ([key, ref]) => ({
    key,
    ref: showSecretRef(ref),
    present: await rooms.vault.resolves(OWNER.id, ref),
  }))
  return {
    ...summarise(loaded, await statesOf(rooms)),
    ...(command !== undefined && { command }),
    args,
    ...(url !== undefined && { url }),
    ...(start !== undefined && { start }),
    ...(version !== undefined && { version }),
    scopes,
    sandbox: { memoryLimitBytes, readOnlyFs, allowTmp },
    credentials: await Promise.all(credentials),
  }
}

function noSuchServer(server: string): CordonError {
  return new CordonError(
    'kernel.no-server',
    { exit: 2, hint: 'Run `cordon mcp list` to see the servers there are' },
    `Cannot find server ${JSON.stringify(server)}`,
  )
}
