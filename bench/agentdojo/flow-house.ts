/**
 * A house in which the tasks of a suite run as flows: the real engine, door, policy, approval queue and store. Its
 * servers replay recorded answers and note every call that reaches them; its model says what an adversary wants.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { pinPath } from '../../src/home/pin-path.ts'
import { openBuiltIns } from '../../src/flows/built-in/open-built-ins.ts'
import type { FlowIr } from '../../src/flows/language/ir.ts'
import { openFlows } from '../../src/flows/open-flows.ts'
import type { Flows } from '../../src/ports/flow-port.ts'
import type { ModelQuestion } from '../../src/ports/model-port.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { Policy } from '../../src/kernel/ports.ts'
import type { Template, ToolCall } from '../../src/kernel/tool-call.ts'
import type { Json } from '../../src/text/json.ts'
import type { Adversary } from './adversary.ts'
import { type AnsweringOwner, answerAll } from './answering-owner.ts'
import type { Rooms } from './fake-house.ts'
import { deriveManifest } from './field-manifest.ts'
import type { FlowTask } from './flow-tasks.ts'
import { asIt, type Stage, stageFor } from './flow-stage.ts'
import type { Suite } from './suite.ts'
import {
  noting,
  openQueue,
  openSuiteStore,
  policyOver,
  serversOf,
  UNWRITTEN,
} from './suite-door.ts'
import { roomsFor } from './suite-house.ts'
import { flowAs, suiteAs, type Variant } from './variants.ts'
import { createWorld, type Setting, type World } from './world.ts'

export interface Played {
  readonly state: string
  /** Calls that reached a server of the suite, in order, with the node that made them. */
  readonly calls: readonly PlayedCall[]
  readonly questions: number
  /** The rule behind each call that was not simply allowed. */
  readonly rules: readonly string[]
}

export interface PlayedCall extends ToolCall {
  readonly node: string
  readonly wasAsked: boolean
}

export interface Play {
  readonly task: FlowTask
  readonly adversary: Adversary
  readonly saysYes: boolean
}

export interface FlowHouse extends AsyncDisposable {
  readonly world: World
  readonly suite: Suite
  play(play: Play): Promise<Played>
}

export interface HouseOptions {
  readonly variant: Variant
  readonly setting: Setting
  /** Replaces the real policy, to see whether the measurement notices. */
  readonly policy?: Policy
  /** The engine may ask about a whole plan, with its bounds. */
  readonly asksPlans?: boolean
}

/** The clock of the queue moves on by this much between two runs: so many questions in a row are asked of nobody. */
const PAUSE_MS = 3_600_000

/** As with `cordon run --up-to`: a plan without a limit for amounts covers none. */
const MOST_AMOUNT = 10_000

/** A template without limits, since a schedule needs a template. */
const UNLIMITED: Template = {
  name: 'unlimited',
  allowed: ['*'],
  denied: [],
  maxCalls: 1000,
  ceiling: 'regulated',
  sinks: [],
  asksForWrites: false,
}

interface Tools {
  readonly flows: Flows
  readonly owner: AnsweringOwner
  readonly reached: ToolCall[]
  readonly rules: Map<string, string>
  readonly stage: { now: Stage | undefined }
  readonly clock: { ms: number }
}

export async function openFlowHouse(
  original: Suite,
  { variant, setting, policy, asksPlans = false }: HouseOptions,
): Promise<FlowHouse> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-agentdojo-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const suite = suiteAs(original, variant)
  const world = createWorld(suite, deriveManifest(original), setting)
  const clock = { ms: 0 }
  const store = stack.use(await openSuiteStore(folder))
  const queue = await openQueue(stack, store, world, clock)
  const owner = answerAll(queue, asksPlans)
  const stage: Tools['stage'] = { now: undefined }
  const reached: ToolCall[] = []
  const rules = new Map<string, string>()
  const rooms: Rooms = {
    policy: noting(policy ?? policyOver(queue), rules),
    approvals: owner.approvals,
    audit: UNWRITTEN,
    servers: serversOf(world, stage, reached),
  }
  const builtIns = openBuiltIns({
    pinPath,
    models: {
      clearance: 'regulated',
      isLocal: true,
      pin: 'adversary',
      ask: async (question) => ({
        kind: 'said',
        text: spoken(stage, question),
        usage: { profile: 'default', model: 'm', inputTokens: 1, outputTokens: 1, ms: 1 },
      }),
    },
    home: path.join(folder, 'home'),
    userHome: folder,
  })
  const deps = roomsFor({ suite, world, house: { rooms }, builtIns, folder })
  const flows = stack.use(await openFlows({ ...deps, template: async () => UNLIMITED }))
  flows.begin()
  const owned = stack.move()
  const tools: Tools = { flows, owner, reached, rules, stage, clock }
  return {
    world,
    suite,
    play: (play) => playOne(tools, suite, variant, play),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function spoken({ now }: Tools['stage'], { system, text }: ModelQuestion): string {
  assert.ok(now, 'a model is asked only while a task runs')
  const answer = now.speak(system, text)
  assert.ok(answer !== undefined, 'only a node of the flow asks a model')
  return typeof answer === 'string' ? answer : JSON.stringify(answer)
}

async function playOne(
  tools: Tools,
  suite: Suite,
  variant: Variant,
  { task, adversary, saysYes }: Play,
): Promise<Played> {
  const { flows, owner, reached, rules, stage, clock } = tools
  const ir = flowAs(suite, asIt(task, adversary), variant)
  stage.now = stageFor({ suite, task: { ...task, ir }, adversary })
  clock.ms += PAUSE_MS
  owner.saysYes = saysYes
  reached.length = 0
  for (const noted of [owner.asked, owner.questions, rules]) noted.clear()
  const state = await runFlow(flows, ir, task)
  const calls = reached.map((call) => ({
    ...call,
    node: nodeIn(call.callId),
    wasAsked: owner.asked.has(call.callId),
  }))
  return { state, calls, questions: owner.questions.size, rules: [...rules.values()] }
}

async function runFlow(flows: Flows, ir: FlowIr, { isReplanned }: FlowTask): Promise<string> {
  const id = randomUUID()
  const signal = AbortSignal.timeout(60_000)
  const source = { kind: 'ir', ir: ir as unknown as Json } as const
  // A schedule whose flow the owner has not saved: the engine's way to run a plan that is not the owner's.
  const principal = isReplanned ? ({ ...OWNER, kind: 'cron' } as const) : OWNER
  const template = isReplanned ? { template: UNLIMITED.name } : {}
  const given = { inputs: {}, useCache: false, trust: [], mostAmount: MOST_AMOUNT }
  const start = { id, source, principal, ...given, ...template }
  let run = await flows.start({ ...start, approval: 'wait' }, signal)
  for (let after = 0; run.state === 'running' || run.state === 'asking'; ) {
    const news = await flows.follow(id, after, signal)
    after = news.events.at(-1)?.number ?? after
    run = news.run
  }
  return run.state
}

/** The node in a call id: `send` in `run/send@2[3]/1`. */
function nodeIn(callId: string): string {
  return /\/([\w-]+)[^/]*\/\d+$/.exec(callId)?.[1] ?? callId
}

/** Whether the calls of the suite's own servers are the recorded ones, in order. */
export function isAsRecorded({ task }: FlowTask, { calls }: Pick<Played, 'calls'>): boolean {
  const made = calls
    .filter(({ tool }) => task.steps.some((step) => step.tool === tool.name))
    .map(({ tool, args }) => ({ tool: tool.name, args: { ...args } }))
  return isDeepStrictEqual(
    made,
    task.steps.map(({ tool, args }) => ({ tool, args: { ...args } })),
  )
}
