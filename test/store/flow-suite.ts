/** Saved flows and their schedules: tests for every engine. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowSchedule } from '../../src/ports/schedule-port.ts'
import { OWNER, parsePrincipalId } from '../../src/kernel/principal.ts'
import { type EngineUnderTest, openPlace as open } from './engine-under-test.ts'

const alice = OWNER.id
const bob = parsePrincipalId('principal:telegram:peer:1234')
const FLOW = { name: 'digest', savedAt: 1_700_000_000_123, ir: '{"nodes":[]}' }
const SCHEDULE: FlowSchedule = {
  name: 'digest',
  cron: '0 9 * * 1-5',
  timezone: 'Europe/Lisbon',
  sinks: ['sink:owner'],
  template: 'nightly',
  inputs: { query: 'TODO "quoted" \u{1f600}', deep: { list: [1, null, true] } },
  createdAt: 1_700_000_000_456,
  overlap: 'queue',
  catchUp: 'all',
}

export function flowSuite(engine: EngineUnderTest): void {
  test(`${engine.kind}: a saved flow is replaced only where that was asked for`, async () => {
    const place = await engine.fresh()
    {
      await using store = await open(place)
      const hers = store.forOwner(alice)
      assert.equal(await hers.flows.put(FLOW, false), true)
      assert.equal(await hers.flows.put({ ...FLOW, ir: '{}' }, false), false)
      assert.deepEqual(await hers.flows.get('digest'), FLOW)
      const written = { ...FLOW, text: 'llm --prompt "hi"\n', savedAt: FLOW.savedAt + 1 }
      assert.equal(await hers.flows.put(written, true), true)
      assert.equal(await hers.flows.put({ ...FLOW, name: 'alpha' }, true), true)
    }
    await using store = await open(place)
    const hers = store.forOwner(alice)
    const names = (await hers.flows.list()).map(({ name }) => name)
    assert.deepEqual(names, ['alpha', 'digest'])
    assert.equal((await hers.flows.get('digest'))?.text, 'llm --prompt "hi"\n')
    assert.equal(await hers.flows.remove('alpha'), true)
    assert.equal(await hers.flows.remove('alpha'), false)
    assert.equal(await hers.flows.get('alpha'), undefined)
  })

  test(`${engine.kind}: a schedule comes back as it was, and a flow has one at most`, async () => {
    await using store = await open(await engine.fresh())
    const hers = store.forOwner(alice)
    await hers.schedules.put(SCHEDULE)
    assert.deepEqual(await hers.schedules.list(), [SCHEDULE])
    const later = { ...SCHEDULE, cron: '@daily', sinks: [], inputs: {} }
    await hers.schedules.put(later)
    assert.deepEqual(await hers.schedules.list(), [later])
    assert.equal(await hers.schedules.remove('digest'), true)
    assert.equal(await hers.schedules.remove('digest'), false)
    assert.deepEqual(await hers.schedules.list(), [])
  })

  test(`${engine.kind}: of two kernels one advances a schedule, and nobody one that was replaced`, async () => {
    await using store = await open(await engine.fresh())
    const { schedules } = store.forOwner(alice)
    await schedules.put(SCHEDULE)
    const progress = { until: 5, run: 'r1', missed: [1, 2], waiting: [3] }
    assert.equal(await schedules.advance(SCHEDULE, progress), true)
    assert.equal(await schedules.advance(SCHEDULE, { ...progress, until: 6 }), false)
    const [read = SCHEDULE] = await schedules.list()
    assert.deepEqual(read, { ...SCHEDULE, progress })
    assert.equal(await schedules.advance(read, { ...progress, waiting: [] }), true)
    await schedules.put({ ...SCHEDULE, createdAt: SCHEDULE.createdAt + 1000 })
    assert.equal(await schedules.advance(SCHEDULE, progress), false)
  })

  test(`STORE-1: ${engine.kind}: flows and schedules of one principal are out of reach for another`, async () => {
    await using store = await open(await engine.fresh())
    const hers = store.forOwner(alice)
    const his = store.forOwner(bob)
    await hers.flows.put(FLOW, false)
    await hers.schedules.put(SCHEDULE)
    assert.equal(await his.flows.get('digest'), undefined)
    assert.deepEqual([await his.flows.list(), await his.schedules.list()], [[], []])
    assert.equal(await his.flows.put({ ...FLOW, ir: '{"his":1}' }, true), true)
    assert.equal(await his.flows.remove('digest'), true)
    assert.equal(await his.schedules.remove('digest'), false)
    assert.deepEqual(await hers.flows.get('digest'), FLOW)
    assert.deepEqual(await hers.schedules.list(), [SCHEDULE])
  })
}
