/** The part of the API that is about flows. Whoever asks here is the owner, so what he starts is started in his name. */
import { randomUUID } from 'node:crypto'
import type { Input, Output, Route } from './api.ts'
import type { FlowContract } from './flow-contract.ts'
import type { Flows } from './flow-port.ts'
import { OWNER } from './principal.ts'
import type { Schedules } from './schedule-port.ts'

export interface FlowHandlerRooms {
  readonly flows: Flows
  readonly schedules: Schedules
}

type FlowRoute = Extract<Route, keyof FlowContract>
type Handlers = {
  readonly [R in FlowRoute]: (input: Input<R>, signal: AbortSignal) => Promise<Output<R>>
}
type Part<R extends FlowRoute> = Pick<Handlers, R>

const FOLLOW_MS = 25_000
const RUNS = 20

export function flowHandlers(rooms: FlowHandlerRooms): Handlers {
  return { ...runHandlers(rooms), ...shelfHandlers(rooms), ...scheduleHandlers(rooms) }
}

function runHandlers({
  flows,
}: FlowHandlerRooms): Part<`flows.${'check' | 'start' | 'follow' | 'runs' | 'show' | 'cancel' | 'answer'}`> {
  return {
    'flows.check': ({ source, given }, signal) => flows.check(source, given, signal),
    'flows.start': async (input, signal) => {
      const start = {
        id: randomUUID() as string,
        inputs: {},
        useCache: true,
        trust: [],
        approval: 'never' as const,
        ...input,
      }
      return await flows.start({ ...start, principal: OWNER }, signal)
    },
    'flows.follow': async ({ id, after }, signal) => {
      const limit = AbortSignal.any([signal, AbortSignal.timeout(FOLLOW_MS)])
      return await flows.follow(id, after, limit)
    },
    'flows.runs': async ({ limit = RUNS, state }) => ({
      runs: await flows.runs({ limit, ...(state && { state }) }),
    }),
    'flows.show': ({ id }) => flows.show(id),
    'flows.cancel': ({ id }) => flows.cancel(id),
    'flows.answer': ({ id, question, choice, value }) => flows.answer(id, question, choice, value),
  }
}

function shelfHandlers({
  flows,
}: FlowHandlerRooms): Part<`flows.${'save' | 'list' | 'read' | 'remove' | 'nodes' | 'node' | 'complete' | 'draw'}`> {
  return {
    'flows.save': ({ name, source, replace }) => flows.save(name, source, replace),
    'flows.list': async () => ({ flows: await flows.saved() }),
    'flows.read': ({ name }) => flows.read(name),
    'flows.remove': async ({ name }) => ({ removed: await flows.remove(name) }),
    'flows.nodes': async ({ filter }) => ({ nodes: await flows.nodes(filter) }),
    'flows.node': ({ name }) => flows.node(name),
    'flows.complete': async ({ text }) => ({ candidates: await flows.complete(text) }),
    'flows.draw': async ({ source, format }) => ({ text: await flows.draw(source, format) }),
  }
}

function scheduleHandlers({
  schedules,
  flows,
}: FlowHandlerRooms): Part<`flows.${'schedule' | 'unschedule' | 'schedules'}`> {
  return {
    'flows.schedule': async ({ timezone = 'UTC', inputs = {}, ...rest }) => {
      await flows.read(rest.name) // there has to be such a flow
      return await schedules.put({ ...rest, timezone, inputs })
    },
    'flows.unschedule': async ({ name }) => ({ removed: await schedules.remove(name) }),
    'flows.schedules': async () => ({ schedules: await schedules.list() }),
  }
}
