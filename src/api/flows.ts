/** Routes about flows: reading, checking, running, saving and scheduling them. A run starts in the name of the API's principal. */
import { randomUUID } from 'node:crypto'
import { z } from 'zod'
import type {
  FlowBounds,
  FlowCheck,
  FlowEvent,
  FlowNodeView,
  FlowRun,
  Flows,
  FlowSource,
  FlowTrace,
  StartFlow,
  StartOptions,
} from '../ports/flow-port.ts'
import { RUN_STATES, type RunState } from '../kernel/run-state.ts'
import type { ApprovalQueue, DrawnLine } from '../kernel/approval-port.ts'
import type { Json } from '../text/json.ts'
import type { Principal } from '../kernel/principal.ts'
import type { Schedules } from '../ports/schedule-port.ts'
import { ASKING, type Asking, comesWithYes } from './calls.ts'
import { comesFromFolder, flowFolder as folder, flowSource as source } from './flow-source.ts'
import { inputs, json, type Named } from './fields.ts'
import type { Routes } from './route.ts'
import { type SavedFlowContract, savedFlowRoutes } from './saved-flows.ts'
import { type ScheduleContract, scheduleRoutes } from './schedules.ts'
import { type WatchContract, type WatchDeps, watchRoutes } from './watches.ts'

const DRAWINGS = ['mermaid', 'dot', 'text'] as const
const TRUSTS = ['pure', 'readonly'] as const
const FOLLOW_MS = 25_000
const RUNS = 20

type Run = { readonly id: string }

export interface FlowContract
  extends RunContract,
    SavedFlowContract,
    NodeContract,
    ScheduleContract,
    WatchContract {}

interface RunContract {
  /** `given` names the inputs that the run will have; if absent, no input is reported as missing. `template`: its limits. */
  'flows.check': {
    surface: 'any'
    input: {
      readonly source: FlowSource
      readonly given?: readonly string[]
      readonly template?: string
    }
    output: FlowCheck
  }
  /** The calls that one answer would allow, as data and as lines to read. Asks nothing and runs nothing. */
  'flows.bounds': {
    surface: 'any'
    input: { readonly source: FlowSource } & Partial<Pick<StartFlow, 'inputs' | 'mostAmount'>>
    output: FlowBounds & { readonly lines: readonly DrawnLine[] }
  }
  /** The run is on disk when this answers, and continues when its caller disconnects. */
  'flows.start': {
    surface: 'any'
    input: Partial<StartOptions> & {
      readonly source: FlowSource
      readonly approval?: Asking
    }
    output: FlowRun
  }
  /** Returns when there is an event after that number, or after 25 seconds. */
  'flows.follow': {
    surface: 'any'
    input: Run & { readonly after: number }
    output: { readonly run: FlowRun; readonly events: readonly FlowEvent[] }
  }
  'flows.runs': {
    surface: 'any'
    input: {
      readonly limit?: number
      readonly state?: RunState
      /** The whole name, as the runs have it. */
      readonly flow?: string
      /** The runs that started then or later. */
      readonly since?: string
    }
    output: { readonly runs: readonly FlowRun[] }
  }
  'flows.show': { surface: 'any'; input: Run; output: FlowTrace }
  'flows.cancel': { surface: 'any'; input: Run; output: FlowRun }
  'flows.answer': {
    surface: 'any'
    input: Run & { readonly question: string; readonly choice: string; readonly value?: Json }
    output: FlowRun
  }
}

interface NodeContract {
  'flows.nodes': {
    surface: 'any'
    input: { readonly filter?: string }
    output: { readonly nodes: readonly FlowNodeView[] }
  }
  'flows.node': { surface: 'any'; input: Named; output: Awaited<ReturnType<Flows['node']>> }
  /** Completes a text that ends at the cursor. */
  'flows.complete': {
    surface: 'any'
    input: { readonly text: string }
    output: { readonly candidates: readonly string[] }
  }
  'flows.draw': {
    surface: 'any'
    input: { readonly source: FlowSource; readonly format: (typeof DRAWINGS)[number] }
    output: { readonly text: string }
  }
}

export interface FlowDeps {
  readonly principal: Principal
  readonly flows: Flows
  readonly schedules: Schedules
  readonly drawPlan: ApprovalQueue['drawPlan']
}

const id = z.string().min(1).max(200)
const run = z.strictObject({ id })

export function flowRoutes(deps: FlowDeps & WatchDeps): Routes<FlowContract> {
  const { flows } = deps
  return {
    ...startRoutes(deps),
    ...runRoutes(flows),
    ...savedFlowRoutes(deps),
    ...nodeRoutes(flows),
    ...scheduleRoutes(deps),
    ...watchRoutes(deps),
  }
}

/** More is no limit. */
const mostAmount = z.number().min(0).max(1_000_000)

const startInput = z.strictObject({
  source,
  id: z.uuid().exactOptional(),
  inputs: inputs.exactOptional(),
  // A length in UTF-16 units; the body as a whole is limited to 1 MiB anyway.
  stdin: z.string().max(1_000_000).exactOptional(),
  folder,
  approval: z.enum(ASKING).exactOptional(),
  mostAmount: mostAmount.exactOptional(),
  useCache: z.boolean().exactOptional(),
  trust: z.array(z.enum(TRUSTS)).max(2).exactOptional(),
})

type Starting = 'flows.check' | 'flows.bounds' | 'flows.start'

function startRoutes({
  principal,
  flows,
  drawPlan,
}: FlowDeps): Routes<Pick<RunContract, Starting>> {
  return {
    'flows.bounds': {
      surface: 'any',
      input: z.strictObject({
        source,
        inputs: inputs.exactOptional(),
        mostAmount: mostAmount.exactOptional(),
      }),
      isForTerminal: comesFromFolder,
      async handle({ source, inputs = {}, mostAmount }, signal) {
        const found = await flows.bounds(source, { inputs, mostAmount }, signal)
        return { ...found, lines: drawPlan(found.bounds) }
      },
    },
    'flows.check': {
      surface: 'any',
      input: z.strictObject({
        source,
        given: z.array(z.string().max(200)).max(1000).exactOptional(),
        template: z.string().max(200).exactOptional(),
      }),
      isForTerminal: comesFromFolder,
      handle: ({ source, given, ...limits }, signal) =>
        flows.check(source, given, signal, { now: true, ...limits }),
    },
    'flows.start': {
      surface: 'any',
      input: startInput,
      isForTerminal: (input) =>
        comesWithYes(input) || input.folder !== undefined || comesFromFolder(input),
      async handle(input, signal) {
        const start = {
          inputs: {},
          useCache: true,
          trust: [],
          approval: 'never',
          ...input,
        } as const
        return await flows.start({ id: randomUUID(), ...start, principal }, signal)
      },
    },
  }
}

function runRoutes(flows: Flows): Routes<Omit<RunContract, Starting>> {
  return {
    'flows.follow': {
      surface: 'any',
      input: z.strictObject({ id, after: z.int().min(0) }),
      handle: ({ id, after }, signal) =>
        flows.follow(id, after, AbortSignal.any([signal, AbortSignal.timeout(FOLLOW_MS)])),
    },
    'flows.runs': {
      surface: 'any',
      input: z.strictObject({
        limit: z.int().min(1).max(1000).exactOptional(),
        state: z.enum(RUN_STATES).exactOptional(),
        flow: z.string().max(10_000).exactOptional(),
        since: z.iso.datetime({ offset: true }).exactOptional(),
      }),
      async handle({ since, ...query }) {
        const from = since === undefined ? {} : { since: Date.parse(since) }
        return { runs: await flows.runs({ limit: RUNS, ...query, ...from }) }
      },
    },
    'flows.show': { surface: 'any', input: run, handle: ({ id }) => flows.show(id) },
    'flows.cancel': { surface: 'any', input: run, handle: ({ id }) => flows.cancel(id) },
    'flows.answer': {
      surface: 'any',
      input: z.strictObject({
        id,
        question: z.string().min(1).max(200),
        choice: z.string().min(1).max(50),
        value: json.exactOptional(),
      }),
      handle: ({ id, question, choice, value }) => flows.answer(id, question, choice, value),
    },
  }
}

function nodeRoutes(flows: Flows): Routes<NodeContract> {
  const nodeName = z.string().min(1).max(200)
  return {
    'flows.nodes': {
      surface: 'any',
      input: z.strictObject({ filter: nodeName.exactOptional() }),
      handle: async ({ filter }) => ({ nodes: await flows.nodes(filter) }),
    },
    'flows.node': {
      surface: 'any',
      input: z.strictObject({ name: nodeName }),
      handle: ({ name }) => flows.node(name),
    },
    'flows.complete': {
      surface: 'any',
      input: z.strictObject({ text: z.string().max(100_000) }),
      handle: async ({ text }) => ({ candidates: await flows.complete(text) }),
    },
    'flows.draw': {
      surface: 'any',
      input: z.strictObject({ source, format: z.enum(DRAWINGS) }),
      isForTerminal: comesFromFolder,
      handle: async ({ source, format }) => ({ text: await flows.draw(source, format) }),
    },
  }
}
