/** Builds the rooms that run flows: models, built-in tools, the engine, schedules. Contains no rules. */
import { homedir } from 'node:os'
import path from 'node:path'
import type { FlowDeps } from '../api/flows.ts'
import type { ConnectingRooms } from './connect-rooms.ts'
import { parseMarkedFolders } from '../flows/built-in/file-labels.ts'
import { openBuiltIns } from '../flows/built-in/open-built-ins.ts'
import type { InputQueue } from '../flows/engine/input-queue.ts'
import { openFlows, type OwnedFlows } from '../flows/open-flows.ts'
import { openSchedules } from '../flows/schedule/open-schedules.ts'
import { createConfigFile } from '../home/config-file.ts'
import { openConfiguredModels } from '../inference/configured-models.ts'
import type { OwnedModels } from '../inference/open-models.ts'
import type { ApprovalQueue } from '../kernel/approval-port.ts'
import { type BuiltInTools, MODEL, withBuiltIns } from '../kernel/built-in-tools.ts'
import type { ToldLabels } from '../kernel/kept-labels.ts'
import type { Approvals, Policy, Servers } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import type { Tokens } from '../kernel/setup-port.ts'
import { OWNER_SINK } from '../labels/sink.ts'
import type { ToolIndex } from '../kernel/tool-view.ts'
import { clearedSink } from '../policy/templates.ts'
import { createReadiness } from '../servers/readiness.ts'
import { parsePostgresUrl } from '../store/postgres-url.ts'
import { readTemplate } from '../policy/read-template.ts'

interface Serving {
  readonly servers: Servers
  readonly toolIndex: ToolIndex
  readonly tokens: Tokens
  readonly policy: Policy
  readonly approvals: Approvals
  readonly queue: ApprovalQueue
  readonly input: InputQueue
  readonly told: ToldLabels
}

/** Gives each opened room to `stack`: schedules end first, then the runs, then the rooms that they call. */
export async function openFlowRooms(
  rooms: ConnectingRooms & { readonly databaseUrl: string | undefined },
  serving: Serving,
  stack: AsyncDisposableStack,
): Promise<Omit<FlowDeps, 'principal'> & { readonly flows: OwnedFlows }> {
  const { home, log, audit, tables, redactor, databaseUrl } = rooms
  const { servers, toolIndex, policy, approvals, queue, told } = serving
  const config = createConfigFile(home.files, home.paths.config)
  const models = await openModelRoom(rooms, config)
  const builtIns = openFileRoom(rooms, models, config)
  const template = (name: string) => readTemplate(() => config.table('templates'), name)
  const ready = createReadiness({ owner: OWNER.id, ...rooms, ...serving })
  const flows = stack.use(
    await openFlows({
      door: { servers: withBuiltIns(servers, builtIns), audit, policy, approvals, told },
      audit,
      consented: queue.consented(OWNER.id),
      toolIndex,
      builtIns,
      input: serving.input,
      tools: (server) => servers.tools(server),
      savedFlows: tables.flows,
      template,
      readiness: async (server, profile) =>
        server === MODEL ? models.problem(profile) : await ready(server),
      redactor,
      runsPath: path.join(home.path, 'runs.db'),
      ...(databaseUrl !== undefined && { database: parsePostgresUrl(databaseUrl) }),
      cacheFolder: path.join(home.paths.cache, 'flows'),
      files: home.files,
      owner: OWNER,
      log,
      now: Date.now,
    }),
  )
  const schedules = stack.use(
    openSchedules({
      rows: tables.schedules,
      flows,
      template,
      audit,
      isCleared: (sink, template) => clearedSink(sink, template, [OWNER_SINK]) !== undefined,
      owner: OWNER.id,
      log,
      now: Date.now,
    }),
  )
  return { flows, schedules, drawPlan: (bounds) => queue.drawPlan(bounds) }
}

function openFileRoom(
  { home, tables }: ConnectingRooms,
  models: OwnedModels,
  config: ReturnType<typeof createConfigFile>,
): BuiltInTools {
  const userHome = homedir()
  return openBuiltIns({
    models,
    home: home.path,
    userHome,
    keptLabels: tables.keptLabels,
    markedFolders: async () => parseMarkedFolders(await config.table('files'), userHome),
  })
}

function openModelRoom(
  { egress, vault, log }: ConnectingRooms,
  config: ReturnType<typeof createConfigFile>,
): Promise<OwnedModels> {
  return openConfiguredModels(() => config.table('models'), {
    createFetch: (options) => egress.createFetch(options),
    vault,
    owner: OWNER.id,
    log,
  })
}
