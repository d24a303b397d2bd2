import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowForecast } from '../../ports/flow-port.ts'
import { readOwnTemplate } from './own-template.ts'
import { remarksOn } from './remarks-on.ts'
import { createWorld, EVERY_MINUTE, later } from './test-schedules.ts'

test('a result is expected at its sinks before its run starts, and the list says where the last one went', async () => {
  const world = createWorld()
  await using schedules = world.open()
  await schedules.put(EVERY_MINUTE)
  while (world.starts.length === 0) await later(10)
  const [start] = world.starts
  assert.deepEqual(world.expected, [
    { run: start?.id, flow: 'digest', sinks: ['sink:owner'], isForOwner: true },
  ])
  assert.equal((await schedules.list())[0]?.receipts?.[0]?.state, 'delivered')
})

test('a single run is started once, and its schedule is gone then; a time that has passed is refused', async () => {
  const world = createWorld()
  await using schedules = world.open()
  const once = { ...EVERY_MINUTE, cron: '2030-01-01T09:00:00' }
  const made = await schedules.put(once)
  assert.equal(made.next, '2030-01-01T09:00:00.000Z')
  while (world.starts.length === 0) await later(10)
  await later(50)
  assert.deepEqual([world.starts.length, world.rows.size], [1, 0])
  await assert.rejects(schedules.put({ ...once, cron: '2029-01-01T09:00:00' }), {
    code: 'flows.bad-schedule',
  })
})

test('a single run that was missed is made up for once, or dropped if it has no catch-up', async () => {
  const world = createWorld(55_000)
  world.presence.at = world.at - 9 * 3_600_000
  const once = { ...EVERY_MINUTE, cron: '2030-01-01T08:00:00', createdAt: 0 }
  world.rows.set('digest', once)
  world.rows.set('dropped', { ...once, name: 'dropped', catchUp: 'none' })
  await using _schedules = world.open()
  while (world.notices.length < 2) await later(10)
  assert.equal(world.rows.size, 0)
  assert.deepEqual(
    world.starts.map(({ source }) => source),
    [{ kind: 'saved', name: 'digest' }],
  )
})

test('a flow that does not start is told in its channel, once for each reason', async () => {
  const world = createWorld()
  world.failing.reason = 'Cannot find it'
  await using schedules = world.open()
  await schedules.put(EVERY_MINUTE)
  while (world.warnings.length === 0) await later(10)
  world.at += 60_000
  world.rows.set('digest', { ...EVERY_MINUTE, createdAt: 0 })
  await schedules.put({ ...EVERY_MINUTE, name: 'other', cron: '0 0 1 1 *' }) // wakes the loop
  while (world.warnings.length < 2) await later(10)
  assert.deepEqual(
    world.told.map(({ sink, text }) => [sink, text]),
    [['sink:owner', 'digest did not start at 09:00: Cannot find it.']],
  )
})

test('a schedule without a template may use the tools of its flow, asks for every change, and reaches the owner alone', async () => {
  const ir = {
    nodes: [
      { id: 'a', type: 'mcp-notes-read', mcp_metadata: { server_id: 'notes', tool_name: 'read' } },
      { id: 'b', type: 'llm' },
    ],
  }
  const rows = {
    get: async (name: string) =>
      name === 'digest' ? { name, savedAt: 0, ir: JSON.stringify(ir) } : undefined,
  }
  const template = await readOwnTemplate(rows, 'flow:digest')
  assert.ok(template)
  assert.ok(template.allowed.includes('notes.read'))
  assert.ok(!template.allowed.some((one) => one === '*' || one === 'notes.*'))
  assert.deepEqual(
    [template.asksForWrites, template.ceiling, template.sinks],
    [true, 'sensitive', ['sink:owner', 'sink:telegram:owner']],
  )
  assert.equal(await readOwnTemplate(rows, 'flow:gone'), undefined)
  assert.equal(await readOwnTemplate(rows, 'digest'), undefined)
})

test('what a run will ask, or be refused, is said when its schedule is made', () => {
  const step = (tool: string, more: Partial<FlowForecast>): FlowForecast => {
    const usual = {
      node: tool,
      tool,
      effect: 'local-read',
      verdict: 'allow',
      rule: 'read',
    } as const
    return { ...usual, isCertain: true, args: [], ...more }
  }
  const template = {
    name: 'flow:digest',
    allowed: [],
    denied: [],
    maxCalls: 5,
    ceiling: 'sensitive',
    sinks: [],
    asksForWrites: true,
  } as const
  const safety = { effect: 'local-read', level: 'internal', sinks: [] } as const
  const steps = [
    step('notes.read', {}),
    step('notes.write', { effect: 'write' }),
    step('mail.send', { verdict: 'ask' }),
    step('vault.read', { verdict: 'deny', reason: 'it is blocked' }),
  ]
  assert.deepEqual(remarksOn({ steps: steps.slice(0, 1), safety }, template), [])
  const said = remarksOn({ steps, safety: { ...safety, level: 'regulated' } }, template).join('\n')
  assert.match(said, /^vault\.read will be refused: it is blocked\./)
  assert.match(said, /It will be refused: it reads what is regulated/)
  assert.match(said, /notes\.write, mail\.send will ask you each time/)
})
