/** Turns with a planner and flows that a test scripts. Never part of the program. */
import assert from 'node:assert/strict'
import type { ShownApproval } from '../kernel/approval-port.ts'
import type { FlowEvent, FlowRun, StartFlow } from '../ports/flow-port.ts'
import type { Planned, PlanRequest } from './plan-port.ts'
import { OWNER } from '../kernel/principal.ts'
import type { Message } from '../kernel/receive.ts'
import { parseServerId } from '../kernel/server-id.ts'
import type { ToolId } from '../kernel/tool-id.ts'
import { never } from '../kernel/test-never.ts'
import type { TurnEvent } from '../ports/turn-port.ts'
import type { Label } from '../labels/label.ts'
import { Labelled } from '../labels/labelled.ts'
import { OWNER_SINK } from '../labels/sink.ts'
import type { Composing } from './compose-answer.ts'
import { openTurns, type OwnedTurns } from './open-turns.ts'
import type { TurnDeps } from './turn-deps.ts'

const files = parseServerId('files')
export const read: ToolId = { server: files, name: 'read' }
export const write: ToolId = { server: files, name: 'write' }
const EXTERNAL: Label = {
  integrity: 'external',
  level: 'sensitive',
  origins: new Set(['files', 'mail via files']),
}
export const TWO_STEPS: Planned = {
  kind: 'plan',
  plan: {
    steps: [
      { tool: read, args: { path: { kind: 'literal', value: 'a' } } },
      {
        tool: write,
        args: { path: { kind: 'literal', value: 'b' }, text: { kind: 'step', step: 0 } },
      },
    ],
  },
}
const asked = {
  id: 'q1',
  items: [{ digest: 'd1', offers: [] }],
  lines: [[{ text: 'Write b?', tone: 'plain' }]],
  more: [[{ text: 'digest d1', tone: 'plain' }]],
} as unknown as ShownApproval

type Step = Omit<FlowEvent, 'number' | 'at' | 'text'> | { readonly end: Partial<FlowRun> }

/** Flows whose runs tell these events; a run that asks goes on when its question is answered. */
class FakeFlows {
  readonly started: StartFlow[] = []
  readonly cancelled: string[] = []
  readonly answers: object[] = []
  readonly #script: readonly Step[]
  readonly #answered = Promise.withResolvers<void>()

  constructor(script: readonly Step[]) {
    this.#script = script
  }

  get flows(): TurnDeps['flows'] {
    return {
      check: async () => ({ findings: [], steps: [] }) as never,
      start: async (start) => {
        this.started.push(start)
        return {} as never
      },
      follow: async (id, after, signal) => {
        const step = this.#script[after]
        if (after > 0 && 'kind' in (this.#script[after - 1] ?? {})) {
          const before = this.#script[after - 1] as FlowEvent
          if (before.kind === 'asks') await Promise.race([this.#answered.promise, aborted(signal)])
        }
        if (!step || 'end' in step) return { run: runOf(id, step?.end ?? {}), events: [] }
        const event = { ...step, number: after + 1, at: '', text: '' }
        return { run: runOf(id, { state: 'running' }), events: [event] }
      },
      results: async () => ({ step1: new Labelled('the text', { label: EXTERNAL }) }),
      answer: async (id, question, choice, value) => {
        this.answers.push({ id, question, choice, ...(value !== undefined && { value }) })
        this.#answered.resolve()
        return runOf(id, { state: 'running' })
      },
      cancel: async (id) => {
        this.cancelled.push(id)
        return runOf(id, { state: 'cancelled' })
      },
      save: async (name) => ({ name, nodes: ['mcp-files-read'] }) as never,
      saved: async () => [{ name: 'digest' }] as never,
      nodes: async () => [],
    }
  }

  get queue(): TurnDeps['queue'] {
    return {
      follow: async () => asked,
      show: async () => asked,
      answer: async (answer) => {
        this.answers.push(answer)
        this.#answered.resolve()
        return {} as never
      },
    }
  }
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve()))
}

function runOf(id: string, run: Partial<FlowRun>): FlowRun {
  return { id, flow: '', state: 'completed', principal: '', startedAt: '', stepsDone: 0, ...run }
}

interface House {
  readonly composed: Composing[]
  readonly turns: OwnedTurns
  readonly fake: FakeFlows
  readonly requests: PlanRequest[]
  readonly kept: { readonly said: string; readonly answer: Labelled }[]
}

export function openTestTurns(
  plan: (request: PlanRequest) => Planned,
  script: readonly Step[],
): House {
  const fake = new FakeFlows(script)
  const [requests, kept]: [PlanRequest[], House['kept'][number][]] = [[], []]
  const composed: Composing[] = []
  const turns = openTurns({
    planner: {
      async plan(request) {
        requests.push(request)
        return plan(request)
      },
      answer: async (_draft, { words }) => (words === 'the first' ? TWO_STEPS : undefined),
    },
    flows: fake.flows,
    queue: fake.queue,
    memory: {
      results: async () => [{ name: 'result1', type: 'text', from: read, at: 0 }],
      value: async () => new Labelled('earlier', { label: EXTERNAL }),
      addResult: async () => 'result2',
      addTurn: async (turn) => void kept.push(turn),
      turns: async () => [],
    },
    schedules: {
      put: () => assert.fail('nothing is scheduled'),
      list: async () => [],
      remove: async () => false,
      now: Date.now,
    },
    taught: { list: () => [], teach: async () => true, forget: async () => false },
    watches: { add: never, list: async () => [], remove: async () => undefined } as never,
    sinkFor: () => OWNER_SINK,
    compose: async (composing) => void composed.push(composing),
    aboutServer: async () => ({ name: 'Files', place: { homeFolder: '/home/x', folders: [] } }),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    now: () => 0,
    timezone: 'UTC',
  })
  return { turns, fake, requests, kept, composed }
}

export function typed(text: string): Message {
  return { principal: OWNER, text, isTyped: true }
}

/** The events until the turn is over, or asks. */
export async function eventsOf(
  turns: OwnedTurns,
  turn: string | undefined,
  after = 0,
): Promise<TurnEvent[]> {
  const all: TurnEvent[] = []
  for (let seen = after; ; ) {
    const { events, isOver } = await turns.follow(turn ?? '', seen, never)
    all.push(...events)
    seen = events.at(-1)?.number ?? seen
    if (isOver || all.some(({ kind }) => kind === 'approval' || kind === 'question')) return all
  }
}

export function kindsOf(events: readonly TurnEvent[]): readonly string[] {
  return events.map(({ kind }) => kind)
}

export function answerIn(
  events: readonly TurnEvent[],
): Extract<TurnEvent, { readonly kind: 'answer' }> | undefined {
  const last = events.at(-1)
  return last?.kind === 'answer' ? last : undefined
}

export function textOf(events: readonly TurnEvent[]): string {
  return answerIn(events)?.text ?? ''
}
