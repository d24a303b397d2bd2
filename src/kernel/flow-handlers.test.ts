import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseInput } from './api-inputs.ts'
import type { Flows, StartFlow } from './flow-port.ts'
import { flowHandlers } from './flow-handlers.ts'
import { OWNER } from './principal.ts'
import type { Schedules } from './schedule-port.ts'

const SIGNAL = new AbortController().signal
const SOURCE = { kind: 'text', text: 'llm' } as const

function handlers(flows: Partial<Flows>, schedules: Partial<Schedules> = {}) {
  return flowHandlers({ flows: flows as Flows, schedules: schedules as Schedules })
}

test('what is started over the API is started by the owner, who is asked nothing unless he says so', async () => {
  const starts: StartFlow[] = []
  const { 'flows.start': start } = handlers({
    start: async (one) => {
      starts.push(one)
      return {} as never
    },
  })
  await start(parseInput('flows.start', { source: SOURCE }), SIGNAL)
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
  assert.throws(() => parseInput('flows.start', { source: SOURCE, principal: OWNER }), {
    code: 'kernel.input',
  })
  assert.throws(() => parseInput('flows.start', { source: SOURCE, template: 'x' }), {
    code: 'kernel.input',
  })
  assert.throws(() => parseInput('flows.start', { source: SOURCE, folder: 'relative' }), {
    code: 'kernel.input',
  })
})

test('following ends when the caller leaves', async () => {
  const leaving = new AbortController()
  const { 'flows.follow': follow } = handlers({
    follow: (_id, _after, signal) =>
      new Promise((resolve) => {
        signal.addEventListener('abort', () => resolve({ run: {} as never, events: [] }))
      }),
  })
  const following = follow({ id: 'x', after: 0 }, leaving.signal)
  leaving.abort()
  assert.deepEqual((await following).events, [])
})

test('only a flow that is kept can be scheduled', async () => {
  const { 'flows.schedule': schedule } = handlers(
    { read: () => Promise.reject(new Error('no such flow')) },
    { put: () => assert.fail('it was scheduled') },
  )
  const input = { name: 'x', cron: '* * * * *', sinks: ['sink:owner'], template: 't' }
  await assert.rejects(schedule(input, SIGNAL), /no such flow/)
})
