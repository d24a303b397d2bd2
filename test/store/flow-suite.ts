/** Saved flows and their schedules: what every engine must do with them. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OWNER, parsePrincipalId } from '../../src/kernel/principal.ts'
import { type EngineUnderTest, openPlace as open } from './engine-under-test.ts'

const alice = OWNER.id
const bob = parsePrincipalId('principal:telegram:peer:1234')
const FLOW = { name: 'digest', savedAt: 1_700_000_000_123, ir: '{"nodes":[]}' }
const SCHEDULE = {
  name: 'digest',
  cron: '0 9 * * 1-5',
  timezone: 'Europe/Lisbon',
  sinks: ['sink:owner'],
  template: 'nightly',
  inputs: { query: 'TODO "quoted" \u{1f600}', deep: { list: [1, null, true] } },
  createdAt: 1_700_000_000_456,
}

export function flowSuite(engine: EngineUnderTest): void {
  test(`${engine.kind}: a saved flow is replaced only where that was asked for`, async () => {
    const place = await engine.fresh()
    {
      await using store = await open(place)
      assert.equal(await store.flows.put(alice, FLOW, false), true)
      assert.equal(await store.flows.put(alice, { ...FLOW, ir: '{}' }, false), false)
      assert.deepEqual(await store.flows.get(alice, 'digest'), FLOW)
      const written = { ...FLOW, text: 'llm --prompt "hi"\n', savedAt: FLOW.savedAt + 1 }
      assert.equal(await store.flows.put(alice, written, true), true)
      assert.equal(await store.flows.put(alice, { ...FLOW, name: 'alpha' }, true), true)
    }
    await using store = await open(place)
    const names = (await store.flows.list(alice)).map(({ name }) => name)
    assert.deepEqual(names, ['alpha', 'digest'])
    assert.equal((await store.flows.get(alice, 'digest'))?.text, 'llm --prompt "hi"\n')
    assert.equal(await store.flows.remove(alice, 'alpha'), true)
    assert.equal(await store.flows.remove(alice, 'alpha'), false)
    assert.equal(await store.flows.get(alice, 'alpha'), undefined)
  })

  test(`${engine.kind}: a schedule comes back as it was, and a flow has one at most`, async () => {
    await using store = await open(await engine.fresh())
    await store.schedules.put(alice, SCHEDULE)
    assert.deepEqual(await store.schedules.list(alice), [SCHEDULE])
    const later = { ...SCHEDULE, cron: '@daily', sinks: [], inputs: {} }
    await store.schedules.put(alice, later)
    assert.deepEqual(await store.schedules.list(alice), [later])
    assert.equal(await store.schedules.remove(alice, 'digest'), true)
    assert.equal(await store.schedules.remove(alice, 'digest'), false)
    assert.deepEqual(await store.schedules.list(alice), [])
  })

  test(`STORE-1: ${engine.kind}: flows and schedules of one principal are out of reach for another`, async () => {
    await using store = await open(await engine.fresh())
    await store.flows.put(alice, FLOW, false)
    await store.schedules.put(alice, SCHEDULE)
    assert.equal(await store.flows.get(bob, 'digest'), undefined)
    assert.deepEqual([await store.flows.list(bob), await store.schedules.list(bob)], [[], []])
    assert.equal(await store.flows.put(bob, { ...FLOW, ir: '{"his":1}' }, true), true)
    assert.equal(await store.flows.remove(bob, 'digest'), true)
    assert.equal(await store.schedules.remove(bob, 'digest'), false)
    assert.deepEqual(await store.flows.get(alice, 'digest'), FLOW)
    assert.deepEqual(await store.schedules.list(alice), [SCHEDULE])
  })
}
