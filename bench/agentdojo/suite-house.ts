/**
 * A house in which the tasks of a suite run as flows: the real engine, the real door and policy, the real built-in tools
 * and a model that answers over HTTP. Its servers replay recorded answers and note every call that reaches them.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { createEgress } from '../../src/egress/create-egress.ts'
import { pinPath } from '../../src/home/pin-path.ts'
import { openBuiltIns } from '../../src/flows/built-in/open-built-ins.ts'
import type { FlowNode } from '../../src/flows/language/ir.ts'
import type { FlowDeps } from '../../src/flows/flow-deps.ts'
import { openFlows } from '../../src/flows/open-flows.ts'
import { createFiles } from '../../src/home/files.ts'
import { openModels } from '../../src/inference/open-models.ts'
import { parseProfiles } from '../../src/inference/model-profiles.ts'
import { type BuiltInTools, withBuiltIns } from '../../src/kernel/built-in-tools.ts'
import type { Flows, FlowTrace } from '../../src/ports/flow-port.ts'
import type { Json } from '../../src/text/json.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { ToolCall } from '../../src/kernel/tool-call.ts'
import { createHouse, type House, type Recorded } from './fake-house.ts'
import type { Suite, SuiteStep } from './suite.ts'
import { SILENT } from './suite-door.ts'
import type { World } from './world.ts'
import { type Answers, answersFor } from './flow-oracle.ts'
import { answerTree, type FlowTask, worldOf } from './flow-tasks.ts'

export interface Replay {
  readonly trace: FlowTrace
  /** Calls that reached a server of the suite, in order. */
  readonly calls: readonly ToolCall[]
  readonly questions: number
  /** Nodes that the owner was asked about, and nodes for which the check predicted a question. */
  readonly askedAbout: readonly string[]
  readonly foreseen: readonly string[]
}

export interface SuiteHouse extends AsyncDisposable {
  run(task: FlowTask): Promise<Replay>
}

interface ChatRequest {
  readonly messages: readonly { readonly content: string }[]
}

/** A model with scripted answers. Borrowed: the caller disposes of it. */
export interface ScriptedModel {
  readonly url: string
  answerWith(answer: (request: ChatRequest) => string): void
}

/** The current task, its recorded steps that are not used yet, and the answers of the model. */
interface Stage {
  task: FlowTask | undefined
  left: SuiteStep[]
  answers: Answers
}

export interface SuiteWishes {
  /** The owner refuses every question; by default they approve. */
  readonly isRefusing?: boolean
  /** Replaces the right answer of the model to a node. */
  readonly twist?: (node: FlowNode, right: Json) => Json
}

export async function openSuiteHouse(
  suite: Suite,
  model: ScriptedModel,
  { isRefusing = false, twist = (_node, right) => right }: SuiteWishes = {},
): Promise<SuiteHouse> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-agentdojo-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const stage: Stage = { task: undefined, left: [], answers: new Map() }
  model.answerWith((request) => spoken(stage, request, twist))
  const world = worldOf(suite)
  const house = createHouse({
    facts: ({ name }) => world.facts(name),
    answer: (call) => recorded(world, stage, call),
    owner: () => !isRefusing,
  })
  const builtIns = builtInsAt(model.url, folder)
  const flows = stack.use(await openFlows(roomsFor({ suite, world, house, builtIns, folder })))
  flows.begin()
  const owned = stack.move()
  return {
    run: (task) => runOne(flows, house, stage, { suite, task }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

export function builtInsAt(url: string, folder: string): BuiltInTools {
  const egress = createEgress({
    owner: OWNER.id,
    audit: { append: () => ({}) as never },
    log: SILENT,
  })
  const models = openModels({
    profiles: parseProfiles({ default: { url, model: 'oracle', local: true } }),
    createFetch: (options) => egress.createFetch(options),
    vault: { lease: () => assert.fail('the model has no key') },
    owner: OWNER.id,
    log: SILENT,
  })
  return openBuiltIns({ pinPath, models, home: path.join(folder, 'home'), userHome: folder })
}

interface Parts {
  readonly suite: Suite
  readonly world: World
  readonly house: Pick<House, 'rooms'>
  readonly builtIns: BuiltInTools
  readonly folder: string
}

export function roomsFor({ suite, world, house, builtIns, folder }: Parts): FlowDeps {
  const { rooms } = house
  const listed = suite.tools.map(({ name }) => {
    const { id, effect } = world.facts(name)
    return { card: { id, title: name, summary: name, effect, args: [] } }
  })
  const none = (): never => assert.fail('nobody asks for that')
  const toolsOf = (server: string) =>
    suite.tools.filter(({ name }) => world.facts(name).id.server === server)
  const answers = async (server: string) =>
    new Map(toolsOf(server).map(({ name }) => [name, answerTree(world, name, '')]))
  return {
    door: { ...rooms, servers: withBuiltIns(rooms.servers, builtIns) },
    consented: rooms.approvals,
    toolIndex: {
      list: async () => listed,
      answers,
      view: none,
      oddities: none,
      descriptions: none,
      search: none,
    },
    builtIns,
    tools: async (server) =>
      toolsOf(server).map(({ name, inputSchema }) => {
        return { name, inputSchema, hash: world.facts(name).hash, quarantined: false }
      }),
    template: none,
    savedFlows: { put: none, get: none, list: none, remove: none },
    runsPath: path.join(folder, 'runs.db'),
    cacheFolder: path.join(folder, 'cache'),
    files: createFiles(),
    owner: OWNER,
    log: SILENT,
    now: Date.now,
  }
}

async function runOne(
  flows: Flows,
  house: House,
  stage: Stage,
  { suite, task }: { readonly suite: Suite; readonly task: FlowTask },
): Promise<Replay> {
  stage.task = task
  stage.left = [...task.task.steps]
  stage.answers = answersFor(task.ir, suite.suite, task.task.steps)
  const [calls, questions] = [house.reached.length, house.questions.length]
  const id = randomUUID()
  const signal = AbortSignal.timeout(30_000)
  const source = { kind: 'ir', ir: task.ir as unknown as Json } as const
  const check = await flows.check(source, [], signal)
  const start = { id, source, principal: OWNER, inputs: {}, useCache: false, trust: [] }
  let run = await flows.start({ ...start, approval: 'wait' }, signal)
  for (let after = 0; run.state === 'running' || run.state === 'asking'; ) {
    const news = await flows.follow(id, after, signal)
    after = news.events.at(-1)?.number ?? after
    run = news.run
  }
  return {
    trace: await flows.show(id),
    calls: house.reached.slice(calls),
    questions: house.questions.length - questions,
    askedAbout: house.questions.slice(questions).flat().map(nodeIn),
    foreseen: check.steps.filter(({ verdict }) => verdict === 'ask').map(({ node }) => node),
  }
}

/** The node in a call id: `send` in `run/send@2[3]/1`. */
function nodeIn(callId: string): string {
  return /\/([\w-]+)[^/]*\/\d+$/.exec(callId)?.[1] ?? callId
}

/** The recorded step of exactly this call, else the next recorded step of the same tool. */
function recorded(world: World, { left }: Stage, { tool, args, callId }: ToolCall): Recorded {
  const isIt = (step: SuiteStep): boolean => step.tool === tool.name
  const exact = left.findIndex((step) => isIt(step) && isDeepStrictEqual(step.args, args))
  const at = exact < 0 ? left.findIndex(isIt) : exact
  const [step] = at < 0 ? [] : left.splice(at, 1)
  const labels = answerTree(world, tool.name, callId)
  return { value: step?.output ?? null, label: world.label(tool.name), labels }
}

/** Finds the node that asks by its instruction in the system message. */
function spoken(
  { task, answers }: Stage,
  { messages }: ChatRequest,
  twist: (node: FlowNode, right: Json) => Json,
): string {
  const [system] = messages
  const node = task?.ir.nodes.find(({ id, params }) => {
    const told = params['instruction'] ?? params['prompt']
    return answers.has(id) && typeof told === 'string' && system?.content.includes(told)
  })
  assert.ok(node, 'only a node of the flow asks a model')
  const answer = twist(node, answers.get(node.id) ?? null)
  return typeof answer === 'string' ? answer : JSON.stringify(answer)
}
