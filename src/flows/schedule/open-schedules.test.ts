import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowCheck, FlowRun, FlowSchedule, StartFlow } from '../../kernel/flow-port.ts'
import { OWNER } from '../../kernel/principal.ts'
import type { Template } from '../../kernel/tool-call.ts'
import { nextTime } from './cron-times.ts'
import { openSchedules, type OwnedSchedules } from './open-schedules.ts'

const TEMPLATE: Template = {
  name: 'nightly',
  allowed: ['notes.*'],
  denied: [],
  maxCalls: 5,
  ceiling: 'internal',
  sinks: ['sink:owner'],
  asksForWrites: true,
}
const EVERY_MINUTE = {
  name: 'digest',
  cron: '* * * * *',
  timezone: 'UTC',
  sinks: ['sink:owner'],
  template: 'nightly',
  inputs: { query: 'x' },
}
const SOUND: FlowCheck = {
  isSound: true,
  findings: [],
  needs: [],
  steps: [],
  safety: { effect: 'local-read', level: 'internal', sinks: [] },
  ir: {},
}

interface World {
  readonly starts: StartFlow[]
  readonly warnings: string[]
  readonly rows: Map<string, FlowSchedule>
  readonly open: () => OwnedSchedules
  readonly failing: { reason?: string }
  readonly records: string[]
  at: number
}

/** A clock that starts just before a full minute and then goes as clocks do. */
function createWorld(beforeMs = 800): World {
  const began = Date.now()
  const starts: StartFlow[] = []
  const warnings: string[] = []
  const rows = new Map<string, FlowSchedule>()
  const failing: { reason?: string } = {}
  const records: string[] = []
  const world: World = {
    starts,
    warnings,
    rows,
    failing,
    records,
    at: Date.parse('2030-01-01T08:59:00Z') + 60_000 - beforeMs,
    open: () =>
      openSchedules({
        rows: {
          put: async (_owner, schedule) => void rows.set(schedule.name, schedule),
          list: async () => [...rows.values()],
          remove: async (_owner, name) => rows.delete(name),
        },
        flows: {
          check: async () => SOUND,
          start: async (start) => {
            if (failing.reason !== undefined) throw new Error(failing.reason)
            starts.push(start)
            return {} as FlowRun
          },
        },
        template: async (name) => (name === 'nightly' ? TEMPLATE : undefined),
        isCleared: (sink, { sinks }) => sink === 'sink:owner' && sinks.includes(sink),
        audit: {
          appendDurable: async ({ kind, subject }) => {
            records.push(`${kind} ${subject}`)
            return { seq: 1, hash: '' }
          },
        },
        owner: OWNER.id,
        log: { info() {}, error() {}, warn: (message) => void warnings.push(message) },
        now: () => world.at + Date.now() - began,
      }),
  }
  return world
}

const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

test('a saved flow is started when its time comes, as cron, within its template and for its sinks', async () => {
  const world = createWorld()
  await using schedules = world.open()
  const made = await schedules.put(EVERY_MINUTE)
  assert.equal(made.next, '2030-01-01T09:00:00.000Z')
  assert.equal(world.starts.length, 0)
  await later(1200)
  assert.equal(world.starts.length, 1)
  const { id, principal, template, sinks, inputs, source, folder } =
    world.starts[0] ?? ({} as StartFlow)
  assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/)
  assert.deepEqual(
    [principal, template, sinks, inputs, source, folder],
    [
      { kind: 'cron', id: 'principal:cron:digest' },
      'nightly',
      ['sink:owner'],
      { query: 'x' },
      { kind: 'saved', name: 'digest' },
      undefined,
    ],
  )
})

test('two kernels on one database start the same time under the same id', async () => {
  const world = createWorld()
  await using one = world.open()
  await using two = world.open()
  await one.put(EVERY_MINUTE)
  assert.equal((await two.list()).length, 1)
  // The other one looks again by itself; here it is told.
  world.rows.set('digest', { ...world.rows.get('digest'), ...EVERY_MINUTE, createdAt: world.at })
  await two.put({ ...EVERY_MINUTE, name: 'other' })
  await later(1200)
  const ids = world.starts.filter(
    ({ source }) => source.kind === 'saved' && source.name === 'digest',
  )
  assert.equal(ids.length, 2)
  assert.equal(new Set(ids.map(({ id }) => id)).size, 1)
})

test('a time that passed before anybody was there, or while the machine slept, is not made up for', async () => {
  const world = createWorld(55_000)
  world.rows.set('digest', { ...EVERY_MINUTE, createdAt: 0 })
  await using schedules = world.open()
  await later(50)
  assert.equal(world.starts.length, 0)
  world.rows.set('digest', { ...EVERY_MINUTE, cron: '0 9 * * *', createdAt: 0 })
  world.at += 30 * 60_000
  await schedules.put({ ...EVERY_MINUTE, name: 'other', cron: '0 0 1 1 *' })
  await later(50)
  assert.equal(world.starts.length, 0)
})

test('what has no sink, no template or no sense is refused, and says so', async () => {
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
  await later(1200)
  assert.equal((await schedules.list())[0]?.problem, 'Cannot find it')
  assert.deepEqual(world.warnings, ['A scheduled flow did not start'])
  assert.equal(await schedules.remove('digest'), true)
  assert.equal(await schedules.remove('digest'), false)
  assert.deepEqual(world.records, ['flows.scheduled digest', 'flows.unscheduled digest'])
})

test('times are those of the zone, also where the clock is put forward', () => {
  const lisbon = { cron: '30 1 * * *', timezone: 'Europe/Lisbon' }
  const at = (time: string) => new Date(nextTime(lisbon, Date.parse(time)) ?? 0).toISOString()
  assert.equal(at('2030-01-10T12:00:00Z'), '2030-01-11T01:30:00.000Z')
  assert.equal(at('2030-07-10T12:00:00Z'), '2030-07-11T00:30:00.000Z')
})
