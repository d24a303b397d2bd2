import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { StartFlow } from '../../ports/flow-port.ts'
import { createWorld, EVERY_MINUTE, later } from './test-schedules.ts'

const HOUR_MS = 3_600_000

test('times that passed while no kernel ran lead to one late run each, and to one notice', async () => {
  const world = createWorld(55_000) // 08:59:05
  world.presence.at = world.at - 9 * HOUR_MS
  for (const name of ['digest', 'hourly', 'quiet', 'yearly'])
    world.rows.set(name, { ...EVERY_MINUTE, name, cron: '30 8 * * *', createdAt: 0 })
  world.rows.set('hourly', { ...EVERY_MINUTE, name: 'hourly', cron: '0 * * * *', createdAt: 0 })
  world.rows.set('yearly', { ...EVERY_MINUTE, name: 'yearly', cron: '0 0 1 7 *', createdAt: 0 })
  world.rows.set('quiet', {
    ...EVERY_MINUTE,
    name: 'quiet',
    cron: '0 3 * * *',
    createdAt: 0,
    catchUp: 'none',
  })
  {
    await using _schedules = world.open()
    while (world.notices.length === 0) await later(5)
    const names = world.starts.map(({ source }) => source.kind === 'saved' && source.name)
    assert.deepEqual(new Set(names), new Set(['digest', 'hourly']))
    assert.equal(names.length, 2)
    const [cleared, told = ''] = world.notices
    assert.equal(cleared, 'schedules:late over')
    assert.match(
      told,
      /^schedules:late digest, hourly, quiet \(not run: it has no catch-up\) from /,
    )
    assert.equal(world.notices.length, 2)
  }
  assert.ok((world.presence.at ?? 0) >= world.at, 'an orderly end is stored')
  await using _again = world.open()
  await later(50)
  assert.equal(world.starts.length, 2)
  assert.equal(world.notices.length, 2)
})

test('after the machine slept, or the clock jumped, a schedule runs once late', async () => {
  const world = createWorld(55_000)
  world.rows.set('digest', { ...EVERY_MINUTE, cron: '15 * * * *', createdAt: 0 })
  await using schedules = world.open()
  await schedules.list()
  await later(20)
  world.at += 3 * HOUR_MS
  await schedules.put({ ...EVERY_MINUTE, name: 'other', cron: '0 0 1 1 *' }) // wakes the loop
  while (world.notices.length < 2) await later(5)
  assert.equal(world.starts.length, 1)
  const { id } = world.starts[0] ?? ({} as StartFlow)
  // The clock is set back to just before that time: it comes again, with the id of the run that there is.
  world.at = Date.parse('2030-01-01T11:14:58.000Z') - (Date.now() - world.began)
  await schedules.put({ ...EVERY_MINUTE, name: 'third', cron: '0 0 1 1 *' })
  while (world.starts.length < 2) await later(5)
  assert.equal(world.starts[1]?.id, id)
  assert.equal(world.notices.length, 2)
})

test('times that another kernel attended are not missed, and a late start that fails is told', async () => {
  const world = createWorld(55_000)
  world.presence.at = world.at - 9 * HOUR_MS
  world.failing.reason = 'Cannot find it'
  world.rows.set('digest', { ...EVERY_MINUTE, cron: '30 8 * * *', createdAt: 0 })
  await using schedules = world.open()
  while (world.notices.length < 2) await later(5)
  assert.match(world.notices[1] ?? '', /digest \(did not start\)/)
  delete world.failing.reason
  world.at += 30 * HOUR_MS
  world.presence.at = world.at // the other kernel's
  await schedules.put({ ...EVERY_MINUTE, name: 'other', cron: '0 0 1 1 *' })
  await later(50)
  assert.deepEqual([world.starts.length, world.notices.length], [0, 2])
})
