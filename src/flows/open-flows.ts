/**
 * The room of flows: reads them, checks them, keeps them and runs them. Every call of a run passes the one door, and that
 * it begins is on disk before it leaves.
 */
import type { Flows, FlowSource } from '../kernel/flow-port.ts'
import { OWNER } from '../kernel/principal.ts'
import { drawDot, drawMermaid, drawText } from './draw-flow.ts'
import type { RunPlace } from './engine/flow-runtime.ts'
import { createInputDesk } from './engine/input-desk.ts'
import { interpret } from './engine/interpret.ts'
import { openRuntime } from './engine/open-runtime.ts'
import type { LiveRuns } from './engine/live-runs.ts'
import { createRunEvents } from './engine/run-events.ts'
import type { EngineRooms } from './engine/run-context.ts'
import { createStepCache } from './engine/step-cache.ts'
import { createYielding } from './engine/yield-often.ts'
import { flowError } from './flow-errors.ts'
import type { FlowRooms } from './flow-rooms.ts'
import { foreseeFlow, tellCheck } from './foresee-flow.ts'
import { completeFlow } from './grammar/complete-flow.ts'
import type { NodeBook } from './node-book.ts'
import { fullViewOf, isLike, viewOf } from './node-view.ts'
import { readBook } from './read-book.ts'
import { describeBy, readSource } from './read-source.ts'
import { createRunsDesk, record } from './runs-desk.ts'
import { createShelf } from './shelf.ts'

export interface OwnedFlows extends Flows, AsyncDisposable {
  /** Starts to work on runs, those of earlier processes included. Until then they are only kept. */
  readonly begin: () => void
}

export async function openFlows(rooms: FlowRooms): Promise<OwnedFlows> {
  const events = createRunEvents(() => rooms.now())
  const input = rooms.input ?? createInputDesk()
  const live: LiveRuns = new Map()
  const engine = engineFor(rooms, { events, input, live })
  const place: RunPlace = rooms.database
    ? { kind: 'postgres', target: rooms.database }
    : { kind: 'sqlite', path: rooms.runsPath }
  const runtime = await openRuntime(place, {
    execute: (run) => interpret(engine, run),
    settled(id, outcome) {
      if (outcome.kind === 'parked') return
      record(rooms, 'flows.ended', id, { state: outcome.kind })
      events.tell(id, { kind: 'ended', text: outcome.kind })
    },
    log: rooms.log,
  })
  return {
    ...createReading(rooms),
    ...createShelf(rooms),
    ...createRunsDesk(rooms, runtime, { events, input, live }),
    begin: () => runtime.begin(),
    [Symbol.asyncDispose]: () => runtime[Symbol.asyncDispose](),
  }
}

function engineFor(
  rooms: FlowRooms,
  memory: Pick<EngineRooms, 'events' | 'input' | 'live'>,
): EngineRooms {
  const { door, consented, cacheFolder, files, log, redactor } = rooms
  const now = (): number => rooms.now()
  return {
    door,
    consented,
    cache: createStepCache({ files, folder: cacheFolder, log, now }),
    ...memory,
    yieldOften: createYielding(),
    log,
    redact: (text) => redactor?.redact(text) ?? text,
    template: (name) => rooms.template(name),
    now,
  }
}

type Reading = Pick<Flows, 'check' | 'nodes' | 'node' | 'complete' | 'draw'>

/** Everything about flows and nodes that runs nothing. */
function createReading(rooms: FlowRooms): Reading {
  const never = new AbortController().signal
  const book = (): Promise<NodeBook> => readBook(rooms, false, never)
  const read = async (source: FlowSource) => await readSource(rooms, source, await book(), false)
  return {
    async check(source, given, signal) {
      const nodes = await readBook(rooms, false, signal)
      const { ir } = await readSource(rooms, source, nodes, given?.includes('stdin') ?? false)
      const report = foreseeFlow({
        ir,
        book: nodes,
        policy: rooms.door.policy,
        principal: OWNER,
        plan: 'user',
        ...(given && { given: new Set(given) }),
      })
      return tellCheck(ir, report)
    },
    async nodes(filter) {
      const { nodes } = await book()
      const wanted = nodes.filter(({ descriptor }) => !filter || isLike(descriptor, filter))
      return wanted.map(viewOf)
    },
    async node(name) {
      const found = (await book()).find(name)
      if (found.kind === 'found') return fullViewOf(found.node)
      throw noSuchNode(name, found.kind === 'ambiguous' ? found.names : found.suggestions)
    },
    async complete(text) {
      const known = await book()
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
