/** Several chats of one owner at the same time: nothing that stands open in one is answered or used in another. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { ShownApproval } from '../kernel/approval-port.ts'
import type { FlowRun } from '../ports/flow-port.ts'
import type { Planned } from './plan-port.ts'
import { OWNER } from '../kernel/principal.ts'
import type { Message } from '../kernel/receive.ts'
import { parseServerId } from '../kernel/server-id.ts'
import { never } from '../kernel/test-never.ts'
import { OWNER_SINK } from '../labels/sink.ts'
import { openTurns, type OwnedTurns } from './open-turns.ts'
import type { TurnDeps } from './turn-deps.ts'

const tool = { server: parseServerId('files'), name: 'read' }
const PLAN: Planned = { kind: 'plan', plan: { steps: [{ tool, args: {} }] } }
const DRAFT: Planned = { kind: 'question', text: 'Which?', choices: [], draft: {}, near: [] }
const ASKED = {
  id: 'q1',
  items: [{ digest: 'd1', offers: [] }],
  lines: [],
  more: [],
} as unknown as ShownApproval

interface Noted {
  started: number
  answers: number
  /** Conversations whose results were read or kept. */
  readonly places: Set<string | undefined>
  readonly turns: string[]
}

/** `asks`: the first call of a run waits for the owner. */
function open(planned: Planned, asks: boolean): { turns: OwnedTurns; noted: Noted } {
  const noted: Noted = { started: 0, answers: 0, places: new Set(), turns: [] }
  const answered = Promise.withResolvers<void>()
  const end = { flow: '', principal: '', startedAt: '', stepsDone: 0 }
  const flows: TurnDeps['flows'] = {
    check: async () => ({ findings: [], steps: [] }) as never,
    start: async () => {
      noted.started += 1
      return {} as never
    },
    async follow(id, after) {
      const run = (state: FlowRun['state']): FlowRun => ({ id, state, ...end })
      const event = { kind: 'asks', callId: 'c1', number: 1, at: '', text: '' } as const
      if (asks && after === 0) return { run: run('asking'), events: [event] }
      if (asks) await answered.promise
      return { run: run('completed'), events: [] }
    },
    results: async () => ({}),
    cancel: async () => ({}) as never,
    save: async (name) => ({ name, nodes: ['mcp-files-read'] }) as never,
    saved: async () => [],
    nodes: async () => [],
    answer: async () => ({}) as never,
  }
  const turns = openTurns({
    planner: {
      plan: async () => planned,
      answer: async (_draft, { words }) => (words === 'the first' ? PLAN : undefined),
    },
    flows,
    queue: {
      follow: async () => ASKED,
      show: async () => ASKED,
      async answer() {
        noted.answers += 1
        answered.resolve()
        return {} as never
      },
    },
    memory: {
      async results(conversation) {
        noted.places.add(conversation)
        return []
      },
      value: async () => undefined,
      turns: async () => [],
      addResult: async () => undefined,
      async addTurn({ conversation }) {
        noted.turns.push(conversation)
      },
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
    compose: async () => undefined,
    aboutServer: async () => ({ name: 'Files', place: { homeFolder: '/home/x', folders: [] } }),
    log: { info: () => undefined, warn: () => undefined, error: () => undefined },
    now: () => 0,
    timezone: 'UTC',
  })
  return { turns, noted }
}

const typed = (text: string): Message => ({ principal: OWNER, text, isTyped: true })

/** The text of the answer; undefined if the turn asks about a call. */
async function ended(turns: OwnedTurns, turn: string | undefined): Promise<string | undefined> {
  for (let after = 0; ; after += 1) {
    const { events } = await turns.follow(turn ?? '', after, never)
    const [event] = events
    if (event?.kind === 'answer') return event.text
    if (event?.kind === 'approval') return undefined
  }
}

test('a yes in another chat does not answer the question of this one', async () => {
  const { turns, noted } = open(PLAN, true)
  const here = (text: string): Message => ({ ...typed(text), chat: '/dev/pts/1' })
  const turn = await turns.begin(here('read it'))
  assert.equal(await ended(turns, turn), undefined)
  const elsewhere: readonly Message[] = [
    typed('y'),
    { ...typed('y'), chat: '/dev/pts/2' },
    { ...typed('y'), chat: '/dev/pts/1', channel: 'page' },
    { ...typed('y'), ref: { channel: 'telegram', chat: '7', message: '1' } },
  ]
  for (const message of elsewhere) assert.notEqual(await turns.begin(message), turn)
  assert.equal(noted.answers, 0)
  assert.equal(await turns.begin(here('y')), turn)
  assert.equal(noted.answers, 1)
})

test('a draft, the handles and the last plan belong to one chat', async () => {
  const { turns, noted } = open(DRAFT, false)
  const say = async (text: string, chat: string) =>
    await ended(turns, await turns.begin({ ...typed(text), chat }))
  assert.equal(await say('read it', '1'), 'Which?')
  assert.equal(await say('the first', '2'), 'Which?', 'a request of its own')
  assert.equal(noted.started, 0)
  await say('the first', '1')
  assert.equal(noted.started, 1)
  assert.match((await say('save this as copy', '2')) ?? '', /no plan to save/)
  assert.match((await say('save this as copy', '1')) ?? '', /^Saved/)
  assert.deepEqual([...noted.places], ['terminal/1', 'terminal/2'])
  assert.deepEqual(new Set(noted.turns), new Set(['terminal/1', 'terminal/2']))
})
