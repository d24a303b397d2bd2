import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER } from '../../kernel/principal.ts'
import type { FlowQuestion, Flows } from '../../ports/flow-port.ts'
import type { FlowDeps } from '../flow-deps.ts'
import { createInputQueue } from '../engine/input-queue.ts'
import { createRuns } from './create-runs.ts'
import type { FlowRuntime, RunQuery, StoredRun } from './flow-runtime.ts'
import { createRunEvents } from './run-events.ts'

const QUESTION: FlowQuestion = { id: 'q', kind: 'stuck', node: '', text: 't', choices: ['retry'] }

function stored(id: string, more: Partial<StoredRun>): StoredRun {
  const startedAt = new Date(0)
  return { id, cursor: id, state: 'running', input: null, startedAt, isParked: true, ...more }
}

interface World extends Pick<Flows, 'runs' | 'follow' | 'answer' | 'cancel' | 'show'> {
  /** The runs whose steps were read, and those whose steps were counted. */
  readonly read: string[]
  readonly counted: string[]
  readonly asked: RunQuery[]
  readonly sums: unknown[]
}

function worldOf(all: readonly StoredRun[]): World {
  const read: string[] = []
  const counted: string[] = []
  const asked: RunQuery[] = []
  const sums: unknown[] = []
  const runtime: Partial<FlowRuntime> = {
    find: async (id) => all.find((run) => run.id === id),
    async list(query) {
      asked.push(query)
      const { state, limit, before } = query
      const first = all.findIndex(({ cursor }) => cursor === before) + 1
      return all
        .slice(first)
        .filter((run) => !state || run.state === state)
        .slice(0, limit)
    },
    async steps(id) {
      read.push(id)
      return []
    },
    async stepsDone(id) {
      counted.push(id)
      return 7
    },
    answer: async () => true,
    reopen: async (id) => id === 'failed',
    cancel: async (_id, sum) => void sums.push(sum),
  }
  const memory = {
    events: createRunEvents(() => 0),
    input: createInputQueue(),
    live: new Map(),
    relay: { follow: () => undefined },
  }
  const deps: Partial<FlowDeps> = { owner: OWNER }
  const runs = createRuns(deps as FlowDeps, runtime as FlowRuntime, memory)
  return { ...runs, read, counted, asked, sums }
}

const RUNS: readonly StoredRun[] = [
  stored('asking', { question: QUESTION }),
  stored('open', {}),
  stored('done', { state: 'completed', output: { stepsDone: 2 } }),
  stored('cancelled', { state: 'cancelled', sums: { stepsDone: 3 } }),
  stored('older', { state: 'cancelled' }),
]

test('a list of runs reads no steps, and counts only those whose count is not on record', async () => {
  const world = worldOf(RUNS)
  const runs = await world.runs({ limit: 10 })
  assert.deepEqual(
    runs.map(({ id, state, stepsDone }) => [id, state, stepsDone]),
    [
      ['asking', 'asking', 7],
      ['open', 'running', 7],
      ['done', 'completed', 2],
      ['cancelled', 'cancelled', 3],
      ['older', 'cancelled', 7],
    ],
  )
  assert.deepEqual([world.read, world.counted], [[], ['asking', 'open', 'older']])
})

test('of the runs that ask, only those that are listed are counted', async () => {
  const many = Array.from({ length: 250 }, (_, at) =>
    stored(`r${at}`, at % 100 === 99 ? { question: QUESTION } : {}),
  )
  const world = worldOf(many)
  const query = { flow: 'f', since: 5 }
  const runs = await world.runs({ limit: 10, state: 'asking', ...query })
  assert.deepEqual(
    runs.map(({ id }) => id),
    ['r99', 'r199'],
  )
  assert.deepEqual([world.read, world.counted], [[], ['r99', 'r199']])
  assert.equal(world.asked.length, 3)
  for (const { flow, since } of world.asked) assert.deepEqual({ flow, since }, query)
})

test('following, and answering a question, reads no steps', async () => {
  const world = worldOf(RUNS)
  const { run } = await world.follow('asking', 0, AbortSignal.abort())
  assert.deepEqual([run.state, run.question, run.stepsDone], ['asking', QUESTION, 7])
  await world.answer('asking', 'q', 'retry')
  await assert.rejects(world.answer('asking', 'other', 'retry'), { code: 'flows.not-asked' })
  await assert.rejects(world.answer('asking', 'q', 'done'), { code: 'flows.bad-choice' })
  assert.deepEqual(world.read, [])
})

test('a run that is cancelled keeps what its steps came to', async () => {
  const world = worldOf(RUNS)
  await world.cancel('open')
  assert.deepEqual([world.sums, world.read], [[{ stepsDone: 0 }], ['open']])
  assert.equal((await world.show('asking')).state, 'asking')
})

test('a run that failed and is being deleted is not retried, and that is said', async () => {
  const runs = ['failed', 'deleted'].map((id) => stored(id, { state: 'failed' }))
  const world = worldOf(runs)
  await world.answer('failed', 'retry', 'retry')
  await assert.rejects(world.answer('deleted', 'retry', 'retry'), {
    code: 'flows.no-such-run',
    message: 'Cannot retry the run "deleted": it is being deleted',
  })
})
