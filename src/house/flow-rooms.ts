/** Builds the rooms that run flows: built-in tools, the engine, schedules. Contains no rules. */
import { homedir, hostname } from 'node:os'
import path from 'node:path'
import type { FlowDeps } from '../api/flows.ts'
import type { ConnectingRooms } from './connect-rooms.ts'
import { parseMarkedFolders } from '../flows/built-in/file-labels.ts'
import { openBuiltIns } from '../flows/built-in/open-built-ins.ts'
import type { InputQueue } from '../flows/engine/input-queue.ts'
import type { FindHome } from '../flows/language/expand-homes.ts'
import { openFlows, type OwnedFlows } from '../flows/open-flows.ts'
import { nameHome } from '../flows/runs/name-home.ts'
import { createPresence } from '../flows/schedule/presence.ts'
import { isOwnTemplate, readOwnTemplate } from '../flows/schedule/own-template.ts'
import {
  openSchedules,
  type OwnedSchedules,
  type ScheduleDeps,
} from '../flows/schedule/open-schedules.ts'
import type { ClientBudgets } from '../gateway/client-budgets.ts'
import { clientOf, isClientTemplate, readClientTemplate } from '../gateway/client-template.ts'
import { onceRestored } from '../home/backup/once-restored.ts'
import { createConfigFile } from '../home/config-file.ts'
import { readHomeId } from '../home/home-id.ts'
import type { OwnedModels } from '../inference/open-models.ts'
import type { ApprovalQueue } from '../kernel/approval-port.ts'
import { type BuiltInTools, MODEL, withBuiltIns } from '../kernel/built-in-tools.ts'
import type { Features } from '../ports/feature-port.ts'
import type { Clients } from '../ports/client-port.ts'
import type { Contexts } from '../ports/context-port.ts'
import type { Chats } from '../ports/delivery-port.ts'
import type { ToldLabels } from '../kernel/kept-labels.ts'
import type { Memory } from '../ports/memory-port.ts'
import type { Models } from '../ports/model-port.ts'
import type { Noticing } from '../ports/notice-port.ts'
import type { Approvals, Definitions, Policy, Servers } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import type { ServerId } from '../kernel/server-id.ts'
import type { ToolDescription } from '../kernel/server-state.ts'
import type { Tokens } from '../ports/setup-port.ts'
import { OWNER_SINK } from '../labels/sink.ts'
import type { ToolIndex } from '../ports/tool-view.ts'
import { createAboutServers } from '../pipeline/about-servers.ts'
import { openDeliveries, type OwnedDeliveries } from '../pipeline/open-deliveries.ts'
import { clearedSink, isNamedSink } from '../policy/templates.ts'
import { createAccounts } from '../servers/create-accounts.ts'
import { createReadiness } from '../servers/readiness.ts'
import { parsePostgresUrl } from '../store/postgres-url.ts'
import { readTemplate } from '../policy/read-template.ts'
import type { WritableFolders } from './writable-folders.ts'

interface Serving {
  readonly servers: Servers
  readonly toolIndex: ToolIndex
  readonly features: Pick<Features, 'tools'>
  readonly tokens: Tokens
  readonly policy: Policy
  readonly approvals: Approvals
  readonly queue: ApprovalQueue
  readonly input: InputQueue
  readonly told: ToldLabels
}

interface FlowingRooms extends ConnectingRooms {
  readonly databaseUrl: string | undefined
  readonly models: OwnedModels
  readonly notices: Noticing
  readonly memory: Pick<Memory, 'remember'>
  readonly telegram: { readonly chats: Chats }
  readonly clients: Clients
  readonly contexts: Contexts
  readonly budgets: Pick<ClientBudgets, 'waitMs'>
  readonly writable: Pick<WritableFolders, 'list'>
}

interface Flowing extends Omit<FlowDeps, 'principal'> {
  readonly flows: OwnedFlows
  readonly deliveries: OwnedDeliveries
  /** Goes on with the runs on disk. Only a kernel that stays up delivers: another may end in the middle. */
  begin(isStaying: boolean): void
}

/** Gives each opened room to `stack`: schedules end first, then the runs, then the rooms that they call. */
export async function openFlowRooms(
  rooms: FlowingRooms,
  serving: Serving,
  stack: AsyncDisposableStack,
): Promise<Flowing> {
  const { home, log, audit, tables, redactor, models } = rooms
  const { servers, toolIndex, policy, approvals, queue, told } = serving
  const config = createConfigFile(home.files, home.paths.config)
  const builtIns = openFileRoom(rooms, models, config, rooms.memory)
  const template = templatesOf(config, tables)
  const flows = stack.use(
    await openFlows({
      door: { servers: withBuiltIns(servers, builtIns), audit, policy, approvals, told },
      audit,
      consented: queue.consented(OWNER.id),
      toolIndex,
      builtIns,
      input: serving.input,
      tools: (server) => toolsOf(serving, server),
      projectServers: (folder) => admitProject(rooms.definitions, servers, folder),
      savedFlows: tables.flows,
      findHome: findHomeBy(rooms.definitions),
      notices: rooms.notices,
      ...withClientLimits(rooms, template),
      ...factsOf(rooms, serving),
      redactor,
      ...(await placeOf(rooms)),
      cacheFolder: path.join(home.paths.cache, 'flows'),
      files: home.files,
      settings: await config.table('flows'),
      owner: OWNER,
      log,
      now: rooms.store.now,
    }),
  )
  const deliveries = stack.use(openDeliveryRoom(rooms, flows))
  const presence = createPresence(tables.notes)
  await onceRestored(home.path, home.files, async () => {
    await deliveries.forgetOpen()
    await flows.cancelAll()
    await presence.keep(rooms.store.now()) // what was due since the backup may have run elsewhere
  })
  const schedules = stack.use(openScheduleRoom(rooms, { flows, template, presence, deliveries }))
  return {
    ...beginning(flows, deliveries),
    schedules,
    drawPlan: (bounds) => queue.drawPlan(bounds),
  }
}

/** The storage of runs, and the name of the kernel for others that share the database. */
async function placeOf({ home, databaseUrl }: FlowingRooms) {
  const { paths, files } = home
  const place = `${hostname()}:${home.path}`
  if (databaseUrl === undefined) return { runsPath: paths.runs, home: place }
  const id = await readHomeId(paths.id, files)
  const database = parsePostgresUrl(databaseUrl)
  return { runsPath: paths.runs, database, home: nameHome(place, id) }
}

/** A node each: the tools of the server, and its features. */
async function toolsOf(
  { servers, features }: Pick<Serving, 'servers' | 'features'>,
  server: ServerId,
): Promise<readonly ToolDescription[]> {
  return [...(await servers.tools(server)), ...(await features.tools(server))]
}

function templatesOf(
  config: ReturnType<typeof createConfigFile>,
  { flows }: FlowingRooms['tables'],
): ScheduleDeps['template'] {
  return async (name) => {
    if (isClientTemplate(name)) return undefined
    return isOwnTemplate(name)
      ? await readOwnTemplate(flows, name)
      : await readTemplate(() => config.table('templates'), name)
  }
}

/** Only a run of a client itself has the limits of a client: no schedule can name them. */
function withClientLimits(
  rooms: FlowingRooms,
  template: ScheduleDeps['template'],
): Pick<Parameters<typeof openFlows>[0], 'template' | 'budgetWait'> {
  return {
    template: async (name) =>
      isClientTemplate(name) ? await readClientTemplate(rooms, name) : await template(name),
    budgetWait: (name) =>
      isClientTemplate(name) ? rooms.budgets.waitMs(clientOf(name)) : undefined,
  }
}

/** Facts about servers that are read from their definitions and credentials. */
function factsOf(
  rooms: FlowingRooms,
  serving: Serving,
): Pick<Parameters<typeof openFlows>[0], 'readiness' | 'account'> {
  const deps = { owner: OWNER.id, ...rooms, ...serving }
  const ready = createReadiness(deps)
  return {
    readiness: async (server, { tools, profile }) =>
      server === MODEL ? rooms.models.problem(profile) : await ready(server, tools),
    account: createAccounts(deps),
  }
}

function beginning(
  flows: OwnedFlows,
  deliveries: OwnedDeliveries,
): Pick<Flowing, 'flows' | 'deliveries' | 'begin'> {
  const begin = (isStaying: boolean): void => {
    flows.begin()
    if (isStaying) deliveries.begin()
  }
  return { flows, deliveries, begin }
}

function openDeliveryRoom(
  { tables, store, notices, telegram, log }: FlowingRooms,
  flows: OwnedFlows,
): OwnedDeliveries {
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions()
  const { notes } = tables
  const { locks } = store
  const { chats } = telegram
  const { now } = store // kernels that share the store share its clock
  return openDeliveries({ notes, locks, flows, notices, chats, log, timezone, now })
}

function openScheduleRoom(
  { tables, store, audit, log, notices, telegram }: FlowingRooms,
  parts: Pick<ScheduleDeps, 'flows' | 'template' | 'presence' | 'deliveries'>,
): OwnedSchedules {
  return openSchedules({
    ...parts,
    rows: tables.schedules,
    notices,
    audit,
    isNamed: isNamedSink,
    isCleared: (sink, template) =>
      clearedSink(sink, template, [OWNER_SINK, ...telegram.chats.sinks()]) !== undefined,
    owner: OWNER.id,
    log,
    now: store.now,
  })
}

/** The servers of the trusted project that this folder is in, under the ids that they run as. */
async function admitProject(
  definitions: Definitions,
  servers: Servers,
  folder: string,
): Promise<readonly ServerId[]> {
  const loaded = await definitions.load(folder)
  const names = loaded.servers.filter(({ scope }) => scope === 'project')
  const found = await Promise.all(
    names.map(({ definition }) => definitions.findInProject(folder, definition.id)),
  )
  const guests = found.filter((one) => one !== undefined)
  for (const guest of guests) await servers.admit(guest)
  return guests.map(({ id }) => id)
}

function findHomeBy(definitions: Definitions): FindHome {
  const about = createAboutServers(definitions, { homeFolder: homedir(), own: new Map() })
  return async (server) => (await about(server)).place
}

function openFileRoom(
  { home, tables, writable }: FlowingRooms,
  models: Models,
  config: ReturnType<typeof createConfigFile>,
  memory: Pick<Memory, 'remember'>,
): BuiltInTools {
  const userHome = homedir()
  return openBuiltIns({
    models,
    memory,
    home: home.path,
    userHome,
    pinPath: home.pinPath,
    writableFolders: writable.list,
    keptLabels: tables.keptLabels,
    markedFolders: async () => parseMarkedFolders(await config.table('files'), userHome),
  })
}
