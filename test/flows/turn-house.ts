/**
 * Turns of a chat over the real engine, policy, approval queue, memory and built-in tools. The model is scripted: the real
 * planner asks it, and every prompt is recorded.
 */
import assert from 'node:assert/strict'
import { pinPath } from '../../src/home/pin-path.ts'
import { openBuiltIns } from '../../src/flows/built-in/open-built-ins.ts'
import { createInputQueue, type InputQueue } from '../../src/flows/engine/input-queue.ts'
import type { ModelAnswer, ModelQuestion, Models } from '../../src/ports/model-port.ts'
import { OWNER } from '../../src/kernel/principal.ts'
import type { Message } from '../../src/kernel/receive.ts'
import { never } from '../../src/kernel/test-never.ts'
import type { ToolCard } from '../../src/ports/tool-view.ts'
import type { TurnEvent } from '../../src/ports/turn-port.ts'
import { OWNER_SINK } from '../../src/labels/sink.ts'
import { BUILT_IN_CARDS } from '../../src/pipeline/built-in-cards.ts'
import type { Composing } from '../../src/pipeline/compose-answer.ts'
import { createModelPlanner } from '../../src/pipeline/model-planner.ts'
import { openTurns, type OwnedTurns } from '../../src/pipeline/open-turns.ts'
import type { Json } from '../../src/text/json.ts'
import { log, type MemoryHouse, openMemoryHouse } from '../memory/memory-house.ts'
import { type EngineHouse, SERVER, type TestTool } from './engine-house.ts'
import { newPlace, openWithTools, toolsOf } from './engine-tools.ts'

export interface TurnHouse extends AsyncDisposable {
  readonly engine: EngineHouse
  readonly memory: MemoryHouse['memory']
  readonly input: InputQueue
  /** Every question to the model: plans, and texts inside of plans. */
  readonly asked: ModelQuestion[]
  readonly composed: Composing[]
  /** The events of the turn until it is over, or asks. */
  say(text: string, more?: Partial<Message>): Promise<readonly TurnEvent[]>
}

/** `answers`: given by the model one after the other, a value where a plan is asked for and otherwise a text. */
export async function openTurnHouse(
  answers: readonly Json[],
  tools: (folder: string, input: InputQueue) => readonly TestTool[] = () => [],
): Promise<TurnHouse> {
  await using stack = new AsyncDisposableStack()
  const folder = newPlace()
  const { memory } = stack.use(await openMemoryHouse())
  const [left, asked, composed] = [[...answers], [] as ModelQuestion[], [] as Composing[]]
  const models = scripted(left, asked)
  const input = createInputQueue()
  const builtIns = openBuiltIns({ pinPath, models, memory, home: '/nowhere', userHome: '/nowhere' })
  const engine = stack.use(
    await openWithTools({ folder, builtIns, rooms: { input } }, tools(folder, input)),
  )
  const cards = [...toolsOf(folder), ...tools(folder, input)].map(cardOf)
  const index = { list: async () => cards.map((card) => ({ card })), search: async () => cards }
  const state = async () => ''
  const turns = stack.use(
    openTurns({
      planner: createModelPlanner({ models, index, builtIns: BUILT_IN_CARDS, state, memory }),
      flows: engine.flows,
      queue: engine.approvals,
      memory,
      schedules: {
        put: () => assert.fail('nothing is scheduled'),
        list: async () => [],
        remove: async () => false,
        now: Date.now,
      },
      taught: { list: () => [], teach: async () => true, forget: async () => false },
      watches: { add: () => assert.fail(), list: async () => [], remove: async () => undefined },
      sinkFor: () => OWNER_SINK,
      compose: async (composing) => void composed.push(composing),
      aboutServer: async (server) => ({ name: server, place: { homeFolder: '/', folders: [] } }),
      log,
      now: Date.now,
      timezone: 'UTC',
    }),
  )
  const owned = stack.move()
  const seen = new Map<string, number>()
  const say: TurnHouse['say'] = async (text, more) => {
    const turn = await turns.begin({ principal: OWNER, text, isTyped: true, ...more })
    assert.ok(turn !== undefined)
    const events = await eventsOf(turns, turn, seen.get(turn) ?? 0)
    seen.set(turn, events.at(-1)?.number ?? 0)
    return events
  }
  const dispose = () => owned.disposeAsync()
  return { engine, memory, input, asked, composed, say, [Symbol.asyncDispose]: dispose }
}

function scripted(left: Json[], asked: ModelQuestion[]): Models {
  const usage = { profile: 'p', model: 'm', inputTokens: 1, outputTokens: 1, ms: 1 }
  return {
    clearance: 'regulated',
    isLocal: true,
    pin: 'pin',
    async ask(question): Promise<ModelAnswer> {
      asked.push(question)
      const value = left.shift()
      if (value === undefined) return { kind: 'failed', reason: 'the model has nothing to say' }
      if (!question.schema)
        return { kind: 'said', text: typeof value === 'string' ? value : '', usage }
      const problem = question.misfit?.(value)
      if (problem !== undefined) return { kind: 'failed', reason: problem }
      return { kind: 'said', text: '', value, usage }
    },
  }
}

function cardOf({ server = SERVER, name, effect, args = {}, required = [] }: TestTool): ToolCard {
  const given = Object.entries(args).map(([arg, role]) => {
    return { name: arg, type: 'string', isRequired: required.includes(arg), role }
  })
  const id = { server: server as typeof SERVER, name }
  return { id, title: name, summary: name, effect, args: given }
}

async function eventsOf(turns: OwnedTurns, turn: string, after: number): Promise<TurnEvent[]> {
  const all: TurnEvent[] = []
  for (let seen = after; ; ) {
    const { events, isOver } = await turns.follow(turn, seen, never)
    all.push(...events)
    seen = events.at(-1)?.number ?? seen
    const last = all.at(-1)?.kind
    if (isOver || last === 'approval' || last === 'question') return all
  }
}

export function textOf(events: readonly TurnEvent[]): string {
  const last = events.at(-1)
  return last && 'text' in last ? last.text : ''
}

export function kindsOf(events: readonly TurnEvent[]): string {
  return events.map(({ kind }) => kind).join(' ')
}
