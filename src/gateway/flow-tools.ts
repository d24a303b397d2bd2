/**
 * `run_flow` and `check_flow`, and each saved flow as a tool. A flow of a client is checked and run by the same engine as
 * `cordon run`: on disk before its first step, every call through the one door. A run outlives the client's patience;
 * it is asked for again by its id, and only by the client that started it.
 */
import { randomUUID } from 'node:crypto'
import { CordonError } from '../kernel/error.ts'
import { OWN_WORDS } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import type { FlowCheck, FlowRun, Flows } from '../ports/flow-port.ts'
import type { JsonObject } from '../text/json.ts'
import { clientStart, readFlow } from './client-start.ts'
import { type ClientSession, raiseLabel, saidBy, sinkOf } from './client-session.ts'
import type { ClientViews } from './client-views.ts'
import { fitResult } from './fit-result.ts'
import { FLOW_GUIDE } from './flow-guide.ts'
import { HARMLESS, type OwnCall, type OwnTool } from './own-tool.ts'
import { failed, showCall, text } from './show-call.ts'

export interface FlowToolsDeps {
  readonly flows: Pick<Flows, 'start' | 'foresee' | 'follow' | 'results' | 'show' | 'cancel'>
  readonly views: Pick<ClientViews, 'limitsOf'>
}

const FLOW = {
  // Not a list of types: some clients pass schemas to models whose dialect has one type only.
  flow: { anyOf: [{ type: 'string' }, { type: 'object' }] },
  inputs: { type: 'object' },
} as const

export function createFlowTools(deps: FlowToolsDeps): readonly OwnTool[] {
  return [runFlow(deps), checkFlow(deps)]
}

function runFlow(deps: FlowToolsDeps): OwnTool {
  return {
    isLong: true,
    definition: {
      name: 'run_flow',
      description: FLOW_GUIDE,
      inputSchema: {
        type: 'object',
        properties: { ...FLOW, run: { type: 'string', description: 'A run to ask for again' } },
      },
      annotations: { readOnlyHint: false, destructiveHint: true },
    },
    async call(own) {
      const { run } = own.args
      if (typeof run === 'string') return await askAgain(deps, own, run)
      const { source, inputs } = readFlow(own.args)
      return await startFlow(deps, own, { source, inputs })
    },
  }
}

function checkFlow({ flows }: FlowToolsDeps): OwnTool {
  return {
    definition: {
      name: 'check_flow',
      description: 'Says what run_flow would do and ask for the same flow. Runs nothing.',
      inputSchema: { type: 'object', properties: FLOW, required: ['flow'] },
      annotations: HARMLESS,
    },
    async call({ session, args, signal }) {
      const { source, inputs } = readFlow(args)
      const start = clientStart(session, source, inputs)
      if (typeof start === 'string') return failed(start)
      const check = await orRefusal(() => flows.foresee(start, signal))
      if (typeof check === 'string') return failed(check)
      return { content: [text(describeCheck(check))], isError: !check.isSound }
    },
  }
}

function describeCheck({ isSound, findings, steps }: FlowCheck): string {
  const problems = findings
    .filter(({ severity }) => severity === 'error')
    .map(({ place, message, hint }) => `${place}: ${message}. ${hint}`)
  const calls = steps.map(({ node, tool, effect, verdict, reason }) => {
    const asked = { allow: 'runs without a question', ask: 'asks the owner', deny: 'is refused' }
    return `${node}: ${tool} (${effect}) ${asked[verdict]}${reason === undefined ? '' : `: ${reason}`}`
  })
  const end = isSound ? 'It can run.' : 'It cannot run.'
  return [...problems, ...calls, end].join('\n')
}

interface ClientFlow {
  readonly source: ReturnType<typeof readFlow>['source']
  readonly inputs: JsonObject
}

export async function startFlow(
  deps: FlowToolsDeps,
  own: OwnCall,
  { source, inputs }: ClientFlow,
): Promise<JsonObject> {
  const { session, signal } = own
  const start = clientStart(session, source, inputs)
  if (typeof start === 'string') return failed(start)
  const approval = session.client.taint === 'deny' ? 'never' : 'wait'
  const fixed = { inputs: {}, approval, useCache: false, trust: [] } as const
  const run = await orRefusal(() =>
    deps.flows.start({ id: randomUUID(), ...fixed, ...start }, signal),
  )
  return typeof run === 'string' ? failed(run) : await untilEnd(deps, own, run.id)
}

/** A run that another client started is not found. */
async function askAgain(deps: FlowToolsDeps, own: OwnCall, id: string): Promise<JsonObject> {
  const found = await orRefusal(() => deps.flows.show(id))
  if (typeof found === 'string' || found.principal !== own.session.principal.id) {
    return failed('There is no such run of this client')
  }
  return await untilEnd(deps, own, id)
}

/** The sentences of an error that people are meant to read; anything else is a bug. */
async function orRefusal<T>(work: () => Promise<T>): Promise<T | string> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof CordonError)) throw error
    return `${error.message}. ${error.hint}`
  }
}

const ENDED: ReadonlySet<FlowRun['state']> = new Set(['completed', 'failed', 'cancelled'])

async function untilEnd(
  { flows, views }: FlowToolsDeps,
  { session, leave, signal }: OwnCall,
  id: string,
): Promise<JsonObject> {
  const waiting = AbortSignal.any([leave, signal])
  let after = 0
  for (;;) {
    const { run, events } = await flows.follow(id, after, waiting)
    if (ENDED.has(run.state)) return await showEnd({ flows, views }, session, run)
    if (signal.aborted) {
      // The client gave the call up: no further step begins.
      await flows.cancel(id)
      return failed('The run was cancelled')
    }
    if (leave.aborted) return failed(goesOn(run))
    after = events.at(-1)?.number ?? after
  }
}

function goesOn({ id, state }: FlowRun): string {
  const what = state === 'asking' ? 'waits for the owner' : 'is still at work'
  return `The run ${what}. Nothing is lost: call run_flow with {"run": ${JSON.stringify(id)}} to get its result.`
}

async function showEnd(
  { flows, views }: FlowToolsDeps,
  session: ClientSession,
  run: FlowRun,
): Promise<JsonObject> {
  const results = run.state === 'completed' ? await flows.results(run.id) : undefined
  if (!results) {
    const { steps } = await flows.show(run.id)
    raiseByServers(
      session,
      steps.flatMap(({ tool }) => tool ?? []),
    )
    const { message, hint } = run.problem ?? { message: `The run was ${run.state}`, hint: '' }
    return failed([message, hint].filter((one) => one !== '').join('. '))
  }
  const value = sole(results)
  raiseLabel(session, value.label)
  const result = { kind: 'ok', value } as const
  const shown = showCall(result, false, sinkOf(session))
  return fitResult(session, result, shown, views.limitsOf(session))
}

/** One result is shown as it is, several by their names. A node with one output calls it `result`. */
function sole(results: Readonly<Record<string, Labelled>>): Labelled {
  const [first, ...others] = Object.values(results)
  const one = first && others.length === 0 ? first : Labelled.object(results, OWN_WORDS)
  return (one.size === 1 ? one.at('result') : undefined) ?? one
}

/** A failure may quote the server that failed, so its words have been read. */
function raiseByServers(session: ClientSession, tools: readonly string[]): void {
  for (const tool of tools) raiseLabel(session, saidBy(tool.split('.')[0] ?? tool))
}
