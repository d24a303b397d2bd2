import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Flows, StartFlow } from '../kernel/flow-port.ts'
import { OWNER } from '../kernel/principal.ts'
import type { Schedules } from '../kernel/schedule-port.ts'
import { flowRoutes } from './flows.ts'

const SIGNAL = new AbortController().signal
const SOURCE = { kind: 'text', text: 'llm' } as const

function routes(flows: Partial<Flows>, schedules: Partial<Schedules> = {}) {
  return flowRoutes({
    principal: OWNER,
    flows: flows as Flows,
    schedules: schedules as Schedules,
    drawPlan: () => [],
  })
}

test('what is started over the API is started by the owner, who is asked nothing unless he says so', async () => {
  const starts: StartFlow[] = []
  const { 'flows.start': start } = routes({
    start: async (one) => {
      starts.push(one)
      return {} as never
    },
  })
  await start.handle({ source: SOURCE }, SIGNAL)
  const [first] = starts
  assert.match(first?.id ?? '', /^[0-9a-f-]{36}$/)
  assert.deepEqual(
    { ...first, id: '' },
    {
      id: '',
      source: SOURCE,
      principal: OWNER,
      inputs: {},
      approval: 'never',
      useCache: true,
      trust: [],
    },
  )
  assert.ok(start.input.safeParse({ source: SOURCE }).success)
  for (const more of [{ principal: OWNER }, { template: 'x' }, { folder: 'relative' }]) {
    assert.ok(!start.input.safeParse({ source: SOURCE, ...more }).success, JSON.stringify(more))
  }
})

test('following ends when the caller leaves', async () => {
  const leaving = new AbortController()
  const { 'flows.follow': follow } = routes({
    follow: (_id, _after, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ run: {} as never, events: [] }))
      }),
  })
  const following = follow.handle({ id: 'x', after: 0 }, leaving.signal)
  leaving.abort()
  assert.deepEqual((await following).events, [])
})

test('only a flow that is kept can be scheduled', async () => {
  const { 'flows.schedule': schedule } = routes(
    { read: () => Promise.reject(new Error('no such flow')) },
    { put: () => assert.fail('it was scheduled') },
  )
  const input = { name: 'x', cron: '* * * * *', sinks: ['sink:owner'], template: 't' }
  await assert.rejects(schedule.handle(input, SIGNAL), /no such flow/)
})
