/**
 * A house in which the tasks of a suite are typed into the chat: the real pipeline as the program builds it, with the
 * real model planner, checker, engine, door, policy, approvals, memory and inference. Its servers replay recorded
 * answers; its model is scripted, and answered without a socket.
 */
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { pinPath } from '../../src/home/pin-path.ts'
import { openBuiltIns } from '../../src/flows/built-in/open-built-ins.ts'
import { openFlows } from '../../src/flows/open-flows.ts'
import { openPipelineRooms } from '../../src/house/pipeline-rooms.ts'
import { parseProfiles } from '../../src/inference/model-profiles.ts'
import { openModels, type OwnedModels } from '../../src/inference/open-models.ts'
import type { Flows } from '../../src/ports/flow-port.ts'
import type { Memory } from '../../src/ports/memory-port.ts'
import type { Approvals, Policy } from '../../src/kernel/ports.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { ToolCall } from '../../src/kernel/tool-call.ts'
import type { ToolIndex } from '../../src/ports/tool-view.ts'
import type { Turns } from '../../src/ports/turn-port.ts'
import { toolBlock } from '../../src/pipeline/plan-prompt.ts'
import type { OwnedApprovals } from '../../src/policy/approvals/open-approvals.ts'
import { createSchemaChecker } from '../../src/servers/session/schema-checker.ts'
import type { Json, JsonObject } from '../../src/text/json.ts'
import type { Adversary } from './adversary.ts'
import { AROUND, memoryOver, none } from './chat-around.ts'
import { ChatModel, type Seen } from './chat-model.ts'
import { deriveManifest } from './field-manifest.ts'
import type { Rooms } from './fake-house.ts'
import type { PlayedCall } from './flow-house.ts'
import type { FlowTask } from './flow-tasks.ts'
import { type Stage, stageFor } from './flow-stage.ts'
import { MODEL_URL, scriptedFetch } from './scripted-fetch.ts'
import {
  SILENT,
  openQueue,
  openSuiteStore,
  policyOver,
  serversOf,
  UNWRITTEN,
} from './suite-door.ts'
import { indexOf } from './suite-facts.ts'
import { roomsFor } from './suite-house.ts'
import type { Suite } from './suite.ts'
import { createWorld, type Setting, type World } from './world.ts'

export interface Talk {
  readonly task: FlowTask
  readonly adversary: Adversary
  readonly saysYes: boolean
  /** The first message: the task in the owner's words, or the name of its flow, which the owner saved. */
  readonly by: 'plan' | 'saved flow'
  readonly remembers?: boolean
}

export interface Talked {
  /** Calls that reached a server, in order. */
  readonly calls: readonly PlayedCall[]
  readonly questions: number
  readonly answers: readonly string[]
  readonly seen: Seen
}

export interface ChatHouse extends AsyncDisposable {
  talk(talk: Talk): Promise<Talked>
}

export interface ChatOptions {
  readonly setting: Setting
  /** Replace a real part, to see whether the measurement notices. */
  readonly policy?: (real: Policy) => Policy
  readonly twist?: (turns: Turns, flows: Pick<Flows, 'start' | 'follow'>) => Turns
  readonly state?: (told: readonly Json[]) => string
}

/** Typed after the task, whatever was answered. */
const MORE = ['go on', 'yes, do that', 'y']
const PAUSE_MS = 3_600_000

interface Now {
  stage: Stage | undefined
  model: ChatModel | undefined
}

interface Tools {
  readonly suite: Suite
  readonly world: World
  readonly turns: Turns
  readonly flows: Pick<Flows, 'save'>
  readonly memory: Pick<Memory, 'forgetFrom'>
  readonly ownTexts: string
  readonly now: Now
  readonly told: Json[]
  readonly reached: ToolCall[]
  readonly asked: Set<string>
  readonly clock: { ms: number }
}

export async function openChatHouse(suite: Suite, options: ChatOptions): Promise<ChatHouse> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-agentdojo-chat-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const tools = await openTools({ suite, folder, options }, stack)
  const owned = stack.move()
  return {
    talk: (talk) => talkOnce(tools, talk),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

interface Place {
  readonly suite: Suite
  readonly folder: string
  readonly options: ChatOptions
}

async function openTools(place: Place, stack: AsyncDisposableStack): Promise<Tools> {
  const { suite, folder, options } = place
  const manifest = deriveManifest(suite)
  const world = createWorld(suite, manifest, options.setting)
  const clock = { ms: 0 }
  const store = stack.use(await openSuiteStore(folder))
  const queue = await openQueue(stack, store, world, clock)
  const [reached, asked, told]: [ToolCall[], Set<string>, Json[]] = [[], new Set(), []]
  const now: Now = { stage: undefined, model: undefined }
  const checker = stack.use(createSchemaChecker())
  const servers: Rooms['servers'] = {
    ...serversOf(world, { now: { answer: (call) => heard(now, told, call) } }, reached),
    misfit: async ({ tool, args }) => await checker.check(schemaOf(suite, tool.name), { ...args }),
  }
  const real = policyOver(queue)
  const policy = options.policy?.(real) ?? real
  const rooms = { policy, approvals: notingCalls(queue, asked), audit: UNWRITTEN, servers }
  const models = modelsOf(now)
  const builtIns = openBuiltIns({
    pinPath,
    models,
    home: path.join(folder, 'home'),
    userHome: folder,
  })
  const deps = roomsFor({ suite, world, house: { rooms }, builtIns, folder })
  const answers: ToolIndex['answers'] = (server) => deps.toolIndex.answers(server)
  const toolIndex = { ...indexOf(suite, world.manifest), answers }
  const tables = store.forOwner(OWNER.id)
  const flows = stack.use(await openFlows({ ...deps, toolIndex, savedFlows: tables.flows }))
  flows.begin()
  const memory = memoryOver(store, suite, () => options.state?.(told) ?? '')
  const answering = { flows, queue, toolIndex, memory, models, tables, log: SILENT }
  const { turns } = await openPipelineRooms({ ...answering, ...AROUND }, stack)
  const twisted = options.twist?.(turns, flows) ?? turns
  const cards = (await toolIndex.list()).map(({ card }) => card)
  const ownTexts = [toolBlock(cards), await memory.state(), JSON.stringify(cards)].join('\n')
  const noted = { now, told, reached, asked, clock }
  return { suite, world, turns: twisted, flows, memory, ownTexts, ...noted }
}

function schemaOf({ tools }: Suite, name: string): JsonObject {
  return tools.find((tool) => tool.name === name)?.inputSchema ?? {}
}

function heard({ stage, model }: Now, told: Json[], call: ToolCall): Json {
  const answer = stage?.answer(call) ?? null
  model?.hear(answer)
  told.push(answer)
  return answer
}

function modelsOf(now: Now): OwnedModels {
  return openModels({
    profiles: parseProfiles({ default: { url: MODEL_URL, model: 'oracle', local: true } }),
    createFetch: () => scriptedFetch((prompt) => now.model?.answer(prompt) ?? none()),
    vault: { lease: () => assert.fail('the model has no key') },
    owner: OWNER.id,
    log: SILENT,
  })
}

/** Notes the calls that the owner is asked about. */
function notingCalls(queue: OwnedApprovals, asked: Set<string>): Approvals {
  return {
    useGrant: (id) => queue.useGrant(id),
    ask(one, signal) {
      asked.add(one.request.callId)
      return queue.ask(one, signal)
    },
    askTogether(all, signal) {
      for (const { request } of all) asked.add(request.callId)
      return queue.askTogether(all, signal)
    },
    askPlan(plan, signal) {
      asked.add(plan.callId)
      return queue.askPlan(plan, signal)
    },
    usePlan(use) {
      return queue.usePlan(use)
    },
  }
}

async function talkOnce(tools: Tools, talk: Talk): Promise<Talked> {
  const { suite, world, now, told, reached, asked, clock, memory } = tools
  const { task, adversary, saysYes, by } = talk
  clock.ms += PAUSE_MS
  const stage = stageFor({ suite, task, adversary })
  const { goal } = adversary
  const parts = { suite, world, task: task.task, stage, goal, ownTexts: tools.ownTexts }
  const { remembers = false } = talk
  const model = new ChatModel({ ...parts, remembers, isPlanned: by === 'plan' })
  Object.assign(now, { stage, model })
  for (const list of [reached, told]) list.length = 0
  asked.clear()
  const first = by === 'plan' ? task.task.prompt : await saved(tools, task)
  const answers: string[] = []
  let questions = 0
  for (const text of [first, ...MORE]) {
    const said = await sayAndWait(tools, model, text, saysYes)
    answers.push(said.answer)
    questions += said.questions
  }
  await memory.forgetFrom('everywhere', false)
  const calls = reached.map((call) => ({
    ...call,
    node: call.callId,
    wasAsked: asked.has(call.callId),
  }))
  return { calls, questions, answers, seen: model.seen }
}

/** The sentence that runs the task's flow. */
async function saved({ flows }: Tools, { task, ir }: FlowTask): Promise<string> {
  const name = task.id.replaceAll('_', '-')
  await flows.save(name, { kind: 'ir', ir: ir as unknown as Json }, true)
  return `run ${name}`
}

async function sayAndWait(
  { turns, clock }: Tools,
  model: ChatModel,
  text: string,
  saysYes: boolean,
): Promise<{ readonly answer: string; readonly questions: number }> {
  const signal = AbortSignal.timeout(60_000)
  const type = async (said: string): Promise<string> => {
    model.type(said)
    // Each task is a conversation of its own.
    const chat = `task ${clock.ms}`
    const turn = await turns.begin({ principal: OWNER, text: said, isTyped: true, chat })
    assert.ok(turn !== undefined, 'a message of the owner begins a turn')
    return turn
  }
  const turn = await type(text)
  let questions = 0
  for (let after = 0; ; ) {
    const { events } = await turns.follow(turn, after, signal)
    signal.throwIfAborted()
    for (const event of events) {
      after = event.number
      if (event.kind === 'answer') return { answer: event.text, questions }
      if (event.kind !== 'approval') continue
      questions += 1
      assert.equal(await type(saysYes ? 'y' : 'n'), turn)
    }
  }
}
