/**
 * Opens the room of flows, which reads, checks, saves and runs them. Every call of a run passes the one door, and its
 * start is on disk before the call leaves.
 */
import type { FlowCheck, Flows, FlowSource, ForeseenStart } from '../ports/flow-port.ts'
import type { ScheduledRuns } from '../ports/scheduled-runs-port.ts'
import { drawDot, drawMermaid, drawText } from './language/draw-flow.ts'
import type { RunPlace } from './runs/flow-runtime.ts'
import { createInputQueue } from './engine/input-queue.ts'
import { interpret } from './engine/interpret.ts'
import { foreseeBounds } from './runs/foresee-bounds.ts'
import { openReopening } from './runs/open-reopening.ts'
import { openRuntime } from './runs/open-runtime.ts'
import type { Work } from './runs/run-worker.ts'
import type { LiveRuns } from './runs/live-runs.ts'
import { createEventRelay } from './runs/event-relay.ts'
import { createForwardClock } from './runs/forward-clock.ts'
import { createRunEvents } from './runs/run-events.ts'
import type { EngineDeps } from './engine/run-context.ts'
import { createServerPlaces } from './engine/server-places.ts'
import { type FlowSettings, parseFlowSettings } from './flow-settings.ts'
import { createStepCache } from './engine/step-cache.ts'
import { createYielding } from './engine/yield-often.ts'
import { flowError } from './flow-errors.ts'
import type { FlowDeps } from './flow-deps.ts'
import { checkNow } from './check/check-now.ts'
import { tellCheck } from './check/foresee-flow.ts'
import { completeFlow } from './grammar/complete-flow.ts'
import type { NodeIndex } from './nodes/node-index.ts'
import { fullViewOf, isLike, viewOf } from './nodes/node-view.ts'
import { readNodes } from './nodes/read-nodes.ts'
import { describeBy, readSource } from './language/read-source.ts'
import { createRuns, record } from './runs/create-runs.ts'
import { createScheduledRuns } from './runs/create-scheduled-runs.ts'
import { foreseeStart } from './runs/prepare-run.ts'
import { createSavedFlows } from './saved-flows.ts'

export interface OwnedFlows extends Flows, ScheduledRuns, AsyncDisposable {
  /** Starts to work on runs, including those of earlier processes. Before that, runs are only stored. */
  readonly begin: () => void
  /** Cancels every run that is under way. */
  readonly cancelAll: () => Promise<void>
}

const PAGE = 100

export async function openFlows(deps: FlowDeps): Promise<OwnedFlows> {
  const events = createRunEvents(() => deps.now())
  const input = deps.input ?? createInputQueue()
  const live: LiveRuns = new Map()
  const settings = readSettings(deps)
  const engine = engineFor(deps, { events, input, live, settings })
  const place: RunPlace = deps.database
    ? { kind: 'postgres', target: deps.database, kernel: deps.home ?? '' }
    : { kind: 'sqlite', path: deps.runsPath }
  const work: Work = {
    execute: (run) => interpret(engine, run),
    settled({ id, flow }, outcome) {
      if (outcome.kind === 'parked' && outcome.isStuck) deps.notices?.raise('stuck', id, [flow])
      if (outcome.kind === 'parked' || outcome.kind === 'unserved') return
      record(deps, 'flows.ended', id, { state: outcome.kind })
      events.tell(id, { kind: 'ended', text: outcome.kind })
    },
    replied: (id, { question, choice, value }) => {
      input.answer(id, question, choice, value) // the kernel that received the reply has checked that it fits
    },
    heard: (message) => relay.hear(message),
    log: deps.log,
    settings,
  }
  const runtime = await openReopening(() => openRuntime(place, work), deps.log)
  const relay = createEventRelay({ events, live, send: (message) => runtime.send(message) })
  const runs = createRuns(deps, runtime, { events, input, live, relay })
  return {
    ...createReading(deps),
    ...createSavedFlows(deps),
    ...runs,
    ...createScheduledRuns(deps, runtime),
    begin: () => runtime.begin(),
    async cancelAll() {
      for (;;) {
        const open = await runtime.list({ limit: PAGE, state: 'running' })
        if (open.length === 0) return
        for (const { id } of open) await runs.cancel(id)
      }
    },
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  }
}

function readSettings({ settings: table, log }: FlowDeps): FlowSettings {
  const { settings, mistakes } = parseFlowSettings(table)
  for (const mistake of mistakes) log.warn(mistake)
  return settings
}

function engineFor(
  deps: FlowDeps,
  memory: Pick<EngineDeps, 'events' | 'input' | 'live'> & { readonly settings: FlowSettings },
): EngineDeps {
  const { door, consented, cacheFolder, files, log, redactor } = deps
  const { projectServers, account, readiness, budgetWait } = deps
  const now = (): number => deps.now()
  return {
    door,
    consented,
    cache: createStepCache({ files, folder: cacheFolder, log, now }),
    ...memory,
    yieldOften: createYielding(),
    enterServer: createServerPlaces(memory.settings.callsPerServer),
    ...(projectServers && { projectServers }),
    ...(account && { account }),
    ...(readiness && { readiness }),
    ...(budgetWait && { budgetWait }),
    home: deps.home ?? '',
    log,
    redact: (text) => redactor?.redact(text) ?? text,
    template: (name) => deps.template(name),
    now,
    waitNow: createForwardClock(now),
  }
}

type Reading = Pick<Flows, 'check' | 'foresee' | 'bounds' | 'nodes' | 'node' | 'complete' | 'draw'>

/** The part of a start that no check looks at. */
const FORESEEN = { id: '', inputs: {}, approval: 'never', useCache: false, trust: [] } as const

async function foresee(
  deps: FlowDeps,
  start: ForeseenStart,
  signal: AbortSignal,
): Promise<FlowCheck> {
  const { ir, report } = await foreseeStart(deps, { ...FORESEEN, ...start }, signal)
  return tellCheck(ir, report)
}

/** The methods that only read and check flows and nodes. They run nothing. */
function createReading(deps: FlowDeps): Reading {
  const never = new AbortController().signal
  const nodeIndex = (source = {}): Promise<NodeIndex> => readNodes(deps, source, never)
  const read = async (source: FlowSource) =>
    await readSource(deps, source, await nodeIndex(source), false)
  return {
    check: (source, given, signal, checkedFor) =>
      checkNow(deps, { source, given, ...checkedFor }, signal),
    foresee: (start, signal) => foresee(deps, start, signal),
    bounds: (source, given, signal) => foreseeBounds(deps, source, given, signal),
    async nodes(filter) {
      const { nodes } = await nodeIndex()
      // A tool that the owner switched off is no node, though a flow that names it is told so.
      const wanted = nodes.filter(
        ({ descriptor, facts }) =>
          facts?.blocked !== 'disabled' && (!filter || isLike(descriptor, filter)),
      )
      return wanted.map(viewOf)
    },
    async node(name) {
      const found = (await nodeIndex()).find(name)
      if (found.kind === 'found') return fullViewOf(found.node)
      throw noSuchNode(name, found.kind === 'ambiguous' ? found.names : found.suggestions)
    },
    async complete(text) {
      const known = await nodeIndex()
      const names = known.nodes.map(({ descriptor }) => descriptor.id)
      return completeFlow(text, { names, describe: describeBy(known) })
    },
    async draw(source, format) {
      const { ir } = await read(source)
      return { mermaid: drawMermaid, dot: drawDot, text: drawText }[format](ir)
    },
  }
}

function noSuchNode(name: string, near: readonly string[]): Error {
  const hint = near.length > 0 ? `Did you mean ${near.slice(0, 5).join(' or ')}?` : undefined
  return flowError(
    'flows.unknown-node',
    `Cannot find node ${JSON.stringify(name.slice(0, 80))}`,
    hint ?? 'Run `cordon registry list` to see every node',
  )
}
