/** Builds the rooms that answer a chat: the planner, the watches and the turns. Contains no rules. */
import { homedir } from 'node:os'
import type { ApprovalQueue } from '../kernel/approval-port.ts'
import { MEMORY, MODEL } from '../kernel/built-in-tools.ts'
import type { Deliveries } from '../ports/delivery-port.ts'
import type { Flows } from '../ports/flow-port.ts'
import type { Memory } from '../ports/memory-port.ts'
import type { Models, Profiles } from '../ports/model-port.ts'
import type { Noticing } from '../ports/notice-port.ts'
import type { Definitions, Log } from '../kernel/ports.ts'
import { OWNER } from '../kernel/principal.ts'
import type { Message } from '../kernel/receive.ts'
import type { Schedules } from '../ports/schedule-port.ts'
import type { ToolIndex } from '../ports/tool-view.ts'
import type { WatchList } from '../ports/watch-port.ts'
import { OWNER_SINK } from '../labels/sink.ts'
import { BUILT_IN_CARDS, REMEMBER_CARD, withCards } from '../pipeline/built-in-cards.ts'
import { createAboutServers } from '../pipeline/about-servers.ts'
import { choosePlanner } from '../pipeline/choose-planner.ts'
import { composeAnswer } from '../pipeline/compose-answer.ts'
import { createModelPlanner } from '../pipeline/model-planner.ts'
import { createOfflinePlanner } from '../pipeline/offline/create-offline-planner.ts'
import { openTurns, type OwnedTurns } from '../pipeline/open-turns.ts'
import { openWatches } from '../pipeline/open-watches.ts'
import type { TurnDeps } from '../pipeline/turn-deps.ts'
import { openTaughtSentences, type TaughtSentences } from '../pipeline/taught-sentences.ts'
import type { OwnerTables } from '../store/open-store.ts'

interface Answering {
  readonly flows: Flows
  readonly queue: ApprovalQueue
  readonly toolIndex: ToolIndex
  readonly memory: Memory
  readonly models: Pick<Models, 'ask'>
  readonly profiles: Pick<Profiles, 'list'>
  readonly definitions: Definitions
  readonly log: Log
  readonly tables: Pick<OwnerTables, 'notes'>
  readonly notices: Noticing
  readonly schedules: Schedules
  readonly deliveries: Deliveries
}

type PlannerDeps = Pick<Answering, 'toolIndex' | 'models' | 'memory'> & {
  readonly state: () => Promise<string>
  readonly taught: Pick<TaughtSentences, 'list'>
  readonly aboutServer: TurnDeps['aboutServer']
}

function plannersOver({ toolIndex, taught, aboutServer, ...deps }: PlannerDeps) {
  return {
    offline: createOfflinePlanner({
      tools: withCards(toolIndex, [REMEMBER_CARD]),
      taught: () => taught.list(),
      foldersOf: async (server) => (await aboutServer(server)).place.folders,
    }),
    model: createModelPlanner({
      ...deps,
      index: toolIndex,
      builtIns: BUILT_IN_CARDS,
    }),
  }
}

/** The built-in servers, which have no definition. */
const OWN_NAMES: ReadonlyMap<string, string> = new Map([
  [MEMORY, 'Memory'],
  [MODEL, 'The model'],
])

/** Gives each opened room to `stack`. */
export async function openPipelineRooms(
  { flows, queue, toolIndex, memory, models, profiles, definitions, log, ...rest }: Answering,
  stack: AsyncDisposableStack,
): Promise<{ readonly turns: OwnedTurns; readonly watches: WatchList }> {
  const { notices, tables, schedules, deliveries } = rest
  const { notes } = tables
  const taught = await openTaughtSentences(notes)
  const hasModel = async () => (await profiles.list()).length > 0
  const state = () => memory.state()
  const aboutServer = createAboutServers(definitions, { homeFolder: homedir(), own: OWN_NAMES })
  const planners = plannersOver({ toolIndex, models, state, memory, taught, aboutServer })
  const planner = choosePlanner({ ...planners, hasModel })
  const compose: TurnDeps['compose'] = async (composing, signal) =>
    (await hasModel()) ? await composeAnswer({ models, state }, composing, signal) : undefined
  const deps = { flows, log, now: Date.now }
  const watches = stack.use(openWatches({ ...deps, notes, notices, deliveries, principal: OWNER }))
  const { timeZone: timezone } = Intl.DateTimeFormat().resolvedOptions()
  const sinkFor = ({ sink }: Message) => sink ?? OWNER_SINK
  const turns = stack.use(
    openTurns({
      ...deps,
      planner,
      compose,
      taught,
      queue,
      schedules,
      watches,
      memory,
      sinkFor,
      aboutServer,
      timezone,
    }),
  )
  return { turns, watches }
}
