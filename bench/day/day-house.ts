/**
 * A house in which the tasks of a day run as flows: the real engine, door, policy, roles, effects, labels and approvals
 * over a real store, and real tool lists. Stood for: the servers' answers, the model's answers, and an owner who says
 * yes to every question and takes the grant that it offers.
 */
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { FlowDeps } from '../../src/flows/flow-deps.ts'
import { openFlows } from '../../src/flows/open-flows.ts'
import { createFiles } from '../../src/home/files.ts'
import { withBuiltIns } from '../../src/kernel/built-in-tools.ts'
import type { Flows } from '../../src/ports/flow-port.ts'
import type { Log } from '../../src/kernel/ports.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import { createPolicy } from '../../src/policy/create-policy.ts'
import type { Json } from '../../src/text/json.ts'
import { openApprovalsHouse } from '../../test/policy/approvals-house.ts'
import { openModelStandIn, type ModelStandIn } from '../../test/fixtures/model-stand-in.ts'
import { createHouse, type Rooms } from '../agentdojo/fake-house.ts'
import { builtInsAt } from '../agentdojo/suite-house.ts'
import type { DayServers } from './day-servers.ts'
import type { DayNode } from './nodes.ts'
import { type AskedQuestion, sayYes } from './day-owner.ts'

const SILENT: Log = { info() {}, warn() {}, error() {} }
const DAY_MS = 86_400_000

export interface DayTask {
  /** The task in the owner's words. */
  readonly wish: string
  readonly nodes: readonly DayNode[]
  /** The model's answers, by node. */
  readonly said?: Readonly<Record<string, Json>>
}

export interface DoneTask {
  readonly wish: string
  readonly questions: readonly AskedQuestion[]
  /** `completed`, or what went wrong: a task that does not finish proves nothing. */
  readonly state: string
  readonly calls: number
}

export interface DayHouse extends AsyncDisposable {
  /** Runs the tasks in order. The next day begins 24 hours after this one. */
  live(tasks: readonly DayTask[]): Promise<readonly DoneTask[]>
}

export async function openDayHouse(servers: DayServers): Promise<DayHouse> {
  await using stack = new AsyncDisposableStack()
  const folder = await mkdtemp(path.join(tmpdir(), 'cordon-day-'))
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  const work = path.join(folder, 'work')
  await mkdir(work)
  const model = stack.use(await openModelStandIn())
  const { approvals, clock } = stack.use(await openApprovalsHouse())
  const house = createHouse({
    facts: (tool) => servers.facts(tool),
    answer: (call) => servers.answer(call),
    owner: () => assert.fail('the real queue asks the owner'),
    policy: createPolicy({
      secrets: { isIn: () => false },
      grantsFor: (tool) => approvals.grantsFor(tool),
      isEndorsed: (taskId, value, place) => approvals.isEndorsed(taskId, value, place),
      alarm: () => undefined,
    }),
  })
  const rooms = { ...house.rooms, approvals }
  const flows = stack.use(await openFlows(depsFor(servers, rooms, model, folder)))
  flows.begin()
  const owned = stack.move()
  return {
    async live(tasks) {
      const done: DoneTask[] = []
      for (const task of tasks) {
        const before = house.reached.length
        speakFor(model, task)
        const { questions, result } = await sayYes(approvals, () => runOne(flows, task, work))
        done.push({
          wish: task.wish,
          questions,
          state: result,
          calls: house.reached.length - before,
        })
      }
      clock.wall += DAY_MS
      return done
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

function depsFor(servers: DayServers, rooms: Rooms, model: ModelStandIn, folder: string): FlowDeps {
  const builtIns = builtInsAt(model.url, folder)
  const none = (): never => assert.fail('nobody asks for that')
  return {
    door: { ...rooms, servers: withBuiltIns(rooms.servers, builtIns) },
    consented: rooms.approvals,
    toolIndex: { ...servers.index, view: none, oddities: none, descriptions: none, search: none },
    builtIns,
    tools: async (server) => servers.tools(server),
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

async function runOne(flows: Flows, { wish, nodes }: DayTask, folder: string): Promise<string> {
  const id = randomUUID()
  const signal = AbortSignal.timeout(60_000)
  const ir = { ir_version: '1.0.0', metadata: { name: 'task', description: wish }, nodes }
  const source = { kind: 'ir', ir: ir as unknown as Json } as const
  const start = { id, source, principal: OWNER, inputs: {}, folder, useCache: false, trust: [] }
  let run = await flows.start({ ...start, approval: 'wait' }, signal)
  for (let after = 0; run.state === 'running' || run.state === 'asking'; ) {
    const news = await flows.follow(id, after, signal)
    after = news.events.at(-1)?.number ?? after
    run = news.run
  }
  const { problem } = await flows.show(id)
  return problem ? `${run.state}: ${JSON.stringify(problem)}` : run.state
}

/** Finds the node that asks by its instruction in the system message. */
function speakFor(model: ModelStandIn, { nodes, said = {} }: DayTask): void {
  model.answer = ({ messages }) => {
    const told = messages[0]?.content ?? ''
    const node = nodes.find(({ params }) => {
      const words = params['instruction'] ?? params['prompt']
      return typeof words === 'string' && told.includes(words)
    })
    const answer = (node && said[node.id]) ?? 'A short text.'
    return typeof answer === 'string' ? answer : JSON.stringify(answer)
  }
}
