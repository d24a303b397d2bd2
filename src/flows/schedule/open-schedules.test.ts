import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StartFlow } from '../../ports/flow-port.ts'
import { nextTime } from './cron-times.ts'
import { createWorld, EVERY_MINUTE, later } from './test-schedules.ts'

test('a saved flow is started when its time comes, as cron and within its template', async () => {
  const world = createWorld()
  await using schedules = world.open()
  const made = await schedules.put(EVERY_MINUTE)
  assert.equal(made.next, '2030-01-01T09:00:00.000Z')
  assert.equal(world.starts.length, 0)
  while (world.starts.length === 0) await later(10)
  const { id, principal, template, inputs, source, folder } = world.starts[0] ?? ({} as StartFlow)
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual(
    [principal, template, inputs, source, folder],
    [
      { kind: 'cron', id: 'principal:cron:digest' },
      'nightly',
      { query: 'x' },
      { kind: 'saved', name: 'digest' },
      undefined,
    ],
  )
})

test('two kernels on one database start a time once', async () => {
  const world = createWorld()
  await using one = world.open()
  await using two = world.open()
  await one.put(EVERY_MINUTE)
  assert.equal((await two.list()).length, 1)
  await two.put({ ...EVERY_MINUTE, name: 'other', cron: '0 0 1 1 *' }) // wakes it
  while (world.starts.length === 0) await later(10)
  await later(100)
  assert.equal(world.starts.length, 1)
})

test('a time before the first start, or before the schedule was made, is not made up for', async () => {
  const world = createWorld(55_000)
  world.rows.set('digest', { ...EVERY_MINUTE, createdAt: 0 })
  world.rows.set('new', { ...EVERY_MINUTE, name: 'new', createdAt: world.at + 50_000 })
  await using schedules = world.open()
  await schedules.list()
  await later(50)
  assert.deepEqual([world.starts, world.notices], [[], []])
})

// Regression 14
test('a schedule without a sink, a template or a readable time is refused with a reason', async () => {
  const world = createWorld()
  await using schedules = world.open()
  for (const [change, code] of [
    [{ sinks: [] }, 'flows.no-sink'],
    [{ sinks: ['sink:telegram:peer:7'] }, 'flows.no-sink'],
    [{ template: 'nobody' }, 'flows.no-template'],
    [{ cron: 'soon' }, 'flows.bad-schedule'],
    [{ cron: '* * * * * *' }, 'flows.bad-schedule'],
    [{ timezone: 'Middle/Earth' }, 'flows.bad-schedule'],
  ] as const) {
    await assert.rejects(schedules.put({ ...EVERY_MINUTE, ...change }), { code, exit: 2 })
  }
  assert.equal(world.rows.size, 0)
})

test('a flow that does not start is told of, and keeps no other from running', async () => {
  const world = createWorld()
  await using schedules = world.open()
  world.failing.reason = 'Cannot find it'
  await schedules.put(EVERY_MINUTE)
  while (world.warnings.length === 0) await later(10)
  assert.equal((await schedules.list())[0]?.problem, 'Cannot find it')
  assert.deepEqual(world.warnings, ['A scheduled flow did not start'])
  assert.equal(await schedules.remove('digest'), true)
  assert.equal(await schedules.remove('digest'), false)
  assert.deepEqual(world.records, ['flows.scheduled digest', 'flows.unscheduled digest'])
})

test('a start that hangs keeps no other from running, and nobody from ending', async () => {
  const world = createWorld()
  world.failing.hangs = 'digest'
  {
    await using schedules = world.open()
    await schedules.put(EVERY_MINUTE)
    await schedules.put({ ...EVERY_MINUTE, name: 'other' })
    while (world.starts.length === 0) await later(10)
    assert.deepEqual(world.starts[0]?.source, { kind: 'saved', name: 'other' })
  }
})

test('a time that comes while the schedules cannot be read is not lost', async () => {
  const world = createWorld()
  world.rows.set('digest', { ...EVERY_MINUTE, cron: '0 9 * * *', createdAt: 0 })
  const other = { ...EVERY_MINUTE, name: 'other', cron: '0 0 1 1 *' }
  await using schedules = world.open()
  await schedules.list() // by then the loop has polled once
  world.failing.isUnreadable = true
  world.at += 10_000
  await schedules.put(other)
  while (world.warnings.length === 0) await later(10)
  world.failing.isUnreadable = false
  await schedules.put(other)
  while (world.starts.length === 0) await later(10)
  assert.deepEqual(
    world.starts.map(({ source }) => source),
    [{ kind: 'saved', name: 'digest' }],
  )
})

// Regression 14
test('a sink that was taken out of the template since keeps the flow from starting', async () => {
  const world = createWorld()
  await using schedules = world.open()
  await schedules.put(EVERY_MINUTE)
  world.failing.isWithoutSink = true
  while (world.warnings.length + world.starts.length === 0) await later(10)
  assert.deepEqual(world.starts, [])
  assert.match((await schedules.list())[0]?.problem ?? '', /sink:owner/)
})

test('times are those of the zone, in winter and in summer', () => {
  const lisbon = { cron: '30 1 * * *', timezone: 'Europe/Lisbon' }
  const at = (time: string) => new Date(nextTime(lisbon, Date.parse(time)) ?? 0).toISOString()
  assert.equal(at('2030-01-10T12:00:00Z'), '2030-01-11T01:30:00.000Z')
  assert.equal(at('2030-07-10T12:00:00Z'), '2030-07-11T00:30:00.000Z')
})
