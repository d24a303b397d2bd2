import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Flows, FlowSource, StartFlow } from '../ports/flow-port.ts'
import { OWNER } from '../kernel/principal.ts'
import type { Schedules } from '../ports/schedule-port.ts'
import { flowRoutes } from './flows.ts'

const SIGNAL = new AbortController().signal
const SOURCE = { kind: 'text', text: 'llm' } as const

function routes(flows: Partial<Flows>, given: Partial<Schedules> = {}) {
  const schedules = { now: Date.now, ...given }
  return flowRoutes({
    principal: OWNER,
    flows: flows as Flows,
    schedules: schedules as Schedules,
    drawPlan: () => [],
    watches: { list: async () => [], remove: async () => undefined },
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

test('runs are asked for by state, flow and time', async () => {
  const asked: object[] = []
  const { 'flows.runs': runs } = routes({
    runs: async (query) => {
      asked.push(query)
      return []
    },
  })
  await runs.handle({}, SIGNAL)
  const query = { state: 'failed', flow: 'a >> b', since: '1970-01-01T01:00:01+01:00' } as const
  assert.ok(runs.input.safeParse(query).success)
  await runs.handle({ ...query, limit: 5 }, SIGNAL)
  assert.deepEqual(asked, [
    { limit: 20 },
    { limit: 5, state: 'failed', flow: 'a >> b', since: 1000 },
  ])
  for (const since of ['yesterday', 5, '2026-11-19']) {
    assert.ok(!runs.input.safeParse({ since }).success)
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

test('a schedule in words is read by the clock that starts it, not by that of this machine', async () => {
  const put: string[] = []
  const { 'flows.schedule': schedule } = routes(
    { read: async () => ({}) as never },
    { put: async (one) => put.push(one.cron) as never, now: () => Date.parse('2030-01-01T09:00Z') },
  )
  await schedule.handle({ name: 'todos', times: 'in 2 hours', timezone: 'UTC' }, SIGNAL)
  assert.deepEqual(put, ['2030-01-01T11:00:00'])
})

test('a schedule in words is read in the time zone that is given, and limited to its own flow and the owner', async () => {
  const put: object[] = []
  const { 'flows.schedule': schedule } = routes(
    { read: async () => ({}) as never },
    { put: async (one) => put.push(one) as never },
  )
  const words = { name: 'todos', times: 'every weekday at 8', timezone: 'Europe/Lisbon' }
  await schedule.handle(words, SIGNAL)
  assert.deepEqual(put, [
    {
      name: 'todos',
      cron: '0 8 * * 1-5',
      timezone: 'Europe/Lisbon',
      template: 'flow:todos',
      sinks: ['sink:owner'],
      inputs: {},
      overlap: 'skip',
      catchUp: 'once',
    },
  ])
  const unclear = [{ times: 'soon' }, {}, { times: 'every day at 8', cron: '0 8 * * *' }]
  for (const wrong of unclear)
    await assert.rejects(schedule.handle({ name: 'todos', ...wrong }, SIGNAL), {
      code: 'flows.bad-schedule',
    })
})

test('WEB-6: a page saves what was typed into it, and nothing from a folder or a file', () => {
  const { 'flows.save': save } = routes({})
  const isClosed = (source: FlowSource) =>
    save.isForTerminal?.({ name: 'x', source, replace: false })
  assert.equal(isClosed(SOURCE), false)
  assert.equal(isClosed({ ...SOURCE, folder: '/tmp' }), true)
  assert.equal(isClosed({ ...SOURCE, isFile: true }), true)
})

test('WEB-6: a page saves no flow that runs by itself, since nobody is asked about its calls', async () => {
  const saved: string[] = []
  const { 'flows.save': save } = routes(
    {
      save: async (name) => {
        saved.push(name)
        return {} as never
      },
    },
    { list: async () => [{ name: 'nightly' }] as never },
  )
  const input = (name: string) => ({ name, source: SOURCE, replace: false })
  const refused = save.handle(input('nightly'), SIGNAL, 'page')
  await assert.rejects(refused, { code: 'kernel.flow-scheduled' })
  await save.handle(input('other'), SIGNAL, 'page')
  await save.handle(input('nightly'), SIGNAL, 'terminal')
  assert.deepEqual(saved, ['other', 'nightly'])
})
