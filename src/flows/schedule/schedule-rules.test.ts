import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowSchedule, ScheduleProgress } from '../../ports/schedule-port.ts'
import { takeDue } from './take-due.ts'
import { createWorld, EVERY_MINUTE, later, SOUND } from './test-schedules.ts'

const MINUTE = 60_000
const NINE = Date.parse('2030-01-01T09:00:00Z')
const schedule = (change: Partial<FlowSchedule>): FlowSchedule => {
  return { ...EVERY_MINUTE, createdAt: 0, ...change }
}
const goesOn = (change: Partial<ScheduleProgress> = {}): ScheduleProgress => {
  return { until: NINE - MINUTE, run: 'before', missed: [], waiting: [], ...change }
}
/** Just after nine, twenty seconds after the look before. */
const look = { since: NINE - 15_000, until: NINE + 5000 }
const absence = { since: NINE - 3.5 * MINUTE, until: NINE + 61_000 }

test('a time that comes while the last run goes on is left out, put off once, put off each time, or started', () => {
  const waiting = [NINE - MINUTE]
  const taken = (overlap: FlowSchedule['overlap']) => {
    return takeDue(schedule({ overlap, progress: goesOn({ waiting }) }), look, true)
  }
  const skipped = takeDue(schedule({ overlap: 'skip', progress: goesOn() }), look, true)
  assert.deepEqual([skipped?.ready, skipped?.leftOut], [[], [NINE]])
  assert.deepEqual([taken('one')?.ready, taken('one')?.progress.waiting], [[], [NINE]])
  assert.deepEqual(taken('queue')?.progress.waiting, [NINE - MINUTE, NINE])
  assert.deepEqual(taken('together')?.ready, [NINE - MINUTE, NINE])
})

test('once the last run has ended, one of the times that wait is started, the oldest first', () => {
  const waiting = [NINE - 2 * MINUTE, NINE - MINUTE]
  const taken = takeDue(schedule({ overlap: 'queue', progress: goesOn({ waiting }) }), look, false)
  assert.deepEqual(
    [taken?.ready, taken?.progress.waiting],
    [waiting.slice(0, 1), [NINE - MINUTE, NINE]],
  )
})

test('of the times of an absence none, the last, or each is made up for, one after the other', () => {
  const taken = (catchUp: FlowSchedule['catchUp'], more: Partial<FlowSchedule> = {}) =>
    takeDue(schedule({ catchUp, cron: '0-59/2 * * * *', ...more }), absence, false)
  const [first, second] = [NINE - 2 * MINUTE, NINE]
  assert.deepEqual([taken('none')?.ready, taken('none')?.absence], [[], 'not made up for'])
  assert.deepEqual([taken('once')?.ready, taken('once')?.absence], [[second], 'made up for'])
  assert.deepEqual([taken('all')?.ready, taken('all')?.progress.missed], [[first], [second]])
  assert.deepEqual(taken('all', { overlap: 'together' })?.ready, [first, second])
})

test('times that were attended are not taken again, and a clock that was set back stops nothing', () => {
  const handled = schedule({ progress: goesOn({ until: NINE + 1000 }) })
  assert.equal(takeDue(handled, look, false), undefined)
  const ahead = schedule({ progress: goesOn({ until: NINE + 365 * 24 * 3_600_000 }) })
  assert.deepEqual(takeDue(ahead, look, false)?.ready, [NINE])
})

test('a schedule that was made before the clock was set back is due all the same', () => {
  const made = schedule({ createdAt: NINE + 60 * MINUTE })
  assert.deepEqual(takeDue(made, look, false)?.ready, [NINE])
})

test('a schedule waits for its last run, and leaves a record and one notice for each run it was left out for', async () => {
  const world = createWorld()
  world.rows.set('digest', schedule({ progress: goesOn({ until: 0 }) }))
  world.rows.set(
    'queued',
    schedule({ name: 'queued', overlap: 'queue', progress: goesOn({ until: 0 }) }),
  )
  world.underWay.add('before')
  await using schedules = world.open()
  while (world.told.length === 0) await later(10)
  assert.equal(world.starts.length, 0)
  assert.deepEqual(world.records, ['flows.left-out digest'])
  assert.match(
    world.told[0]?.text ?? '',
    /^digest was left out at 09:00: its last run still goes on/,
  )
  assert.equal((await schedules.list()).find(({ name }) => name === 'queued')?.waiting, 1)
  world.underWay.delete('before')
  while (world.starts.length === 0) await later(50)
  assert.deepEqual(world.starts[0]?.source, { kind: 'saved', name: 'queued' })
})

test('a run that could not start leaves a failed run with the reason, each time', async () => {
  const world = createWorld()
  world.failing.reason = 'Cannot find it'
  await using schedules = world.open()
  await schedules.put(EVERY_MINUTE)
  while (world.refused.length === 0) await later(10)
  assert.equal(world.refused[0]?.message, 'Cannot find it')
  assert.notEqual(world.refused[0]?.id, world.expected[0]?.run, 'another kernel may still start it')
})

test('a schedule whose flow cannot run now is refused when it is made', async () => {
  const world = createWorld()
  const finding = {
    severity: 'error',
    place: 'models',
    code: 'x',
    message: 'No model is set up',
    hint: 'Run `cordon models add`',
  } as const
  world.failing.check = { ...SOUND, isSound: false, findings: [finding] }
  await using schedules = world.open()
  await assert.rejects(schedules.put(EVERY_MINUTE), {
    code: 'flows.unsound',
    message: 'Cannot schedule "digest": models: No model is set up',
    hint: 'Run `cordon models add`',
  })
  const wrong = { ...finding, code: 'input.type', place: 'inputs.file', hint: 'Give a number' }
  world.failing.check = { ...SOUND, isSound: false, findings: [wrong] }
  await assert.rejects(schedules.put(EVERY_MINUTE), { hint: 'Give a number' })
  const missing = { ...wrong, code: 'input.missing' }
  world.failing.check = { ...SOUND, isSound: false, findings: [missing] }
  await assert.rejects(schedules.put(EVERY_MINUTE), { hint: 'Add `--input file=VALUE`' })
  const read = { node: 'read-file', tool: '~files.read-file', effect: 'local-read' } as const
  const step = { ...read, verdict: 'allow', rule: 'x', isCertain: true, args: [] } as const
  world.failing.check = { ...SOUND, steps: [step] }
  await assert.rejects(schedules.put(EVERY_MINUTE), /a scheduled run has none/)
  assert.equal(world.rows.size, 0)
})

test('a row that cannot be read never runs, says so, and keeps no other from running', async () => {
  const world = createWorld()
  world.rows.set('odd', schedule({ name: 'odd', isDamaged: true }))
  world.rows.set('digest', schedule({}))
  await using schedules = world.open()
  while (world.starts.length === 0) await later(10)
  await later(50)
  assert.deepEqual(
    world.starts.map(({ source }) => source),
    [{ kind: 'saved', name: 'digest' }],
  )
  const odd = (await schedules.list()).find(({ name }) => name === 'odd')
  assert.match(odd?.problem ?? '', /^Its row cannot be read: schedule it again/)
})

test('a row whose time cannot be read says so, and hides no other', async () => {
  const world = createWorld()
  world.rows.set('odd', schedule({ name: 'odd', cron: '99 9 * * *' }))
  world.rows.set('digest', schedule({}))
  await using schedules = world.open()
  const [odd, digest] = await schedules.list()
  assert.equal(odd?.next, undefined)
  assert.match(odd?.problem ?? '', /^Its time cannot be read: schedule it again/)
  assert.equal(digest?.next, '2030-01-01T09:00:00.000Z')
})
